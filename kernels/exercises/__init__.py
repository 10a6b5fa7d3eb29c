"""Exercises that the stepper grades: ``simulator/grade.py`` says what such a file holds."""
