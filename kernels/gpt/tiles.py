"""Tiles."""

TUNED = {}
