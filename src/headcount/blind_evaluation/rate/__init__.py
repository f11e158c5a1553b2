"""What share of all items people would call positive, from judges on all and people on some."""
