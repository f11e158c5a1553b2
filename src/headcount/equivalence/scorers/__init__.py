"""Scorers: how well a prediction fits what reference raters said."""
