"""The data model: who said what about which item, what classifiers predicted, and who won."""
