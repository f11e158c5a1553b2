"""Read what is known of items or raters beforehand: gold, anchors, strata, experts."""
