"""Read what classifiers say of items."""
