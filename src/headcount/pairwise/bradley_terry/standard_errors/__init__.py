"""Standard errors, draws and refits of a Bradley-Terry fit."""
