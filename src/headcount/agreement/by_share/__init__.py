"""How coefficients settle as more of the items are used."""
