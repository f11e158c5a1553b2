"""How many comparisons labels take, by how far items lie apart."""
