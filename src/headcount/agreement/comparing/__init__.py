"""Agreement compared: of two sets of ratings, of strata, of some raters with the others."""
