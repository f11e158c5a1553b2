"""Drawings that several results share: forests, and raters."""
