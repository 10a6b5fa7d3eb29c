"""The puzzles: exercises of their own, an idea each. docs/puzzles/ has their order."""
