"""New items placed among rated ones, and populations joined."""
