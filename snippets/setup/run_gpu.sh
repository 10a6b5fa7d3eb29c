python double.py
