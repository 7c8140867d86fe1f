"""Prints a label for each bed. Usage: python3 labels.py beds.csv"""

import csv
import sys

with open(sys.argv[1]) as file:
    for bed in csv.DictReader(file):
        print("No.", bed["bed"].rjust(2), bed["plant"].title())
