"""Says how much water each bed needs. Usage: python3 watering.py beds.csv RAIN"""

import csv
import sys

LITRES = 8  # for a bed and a day without rain


def water(rain):
    """Returns the litres for one bed after rain, which is given in litres for a bed."""
    return max(0, LITRES - rain)


def main():
    litres = water(float(sys.argv[2]))
    with open(sys.argv[1]) as file:
        for bed in csv.DictReader(file):
            print("Bed", bed["bed"], "needs", litres, "litres")


if __name__ == "__main__":
    main()
