"""Two raters at a time: kappas of every two raters, limits of agreement."""
