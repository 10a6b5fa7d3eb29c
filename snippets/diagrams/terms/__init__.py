"""Pictures of terms: a module for each, named by the term, with draw() -> Picture."""
