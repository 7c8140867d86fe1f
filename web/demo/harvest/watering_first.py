"""Says how much water each bed needs. Usage: python3 watering.py beds.csv RAIN"""

import csv
import sys

LITRES = 8  # for a bed and a day without rain


def main():
    rain = float(sys.argv[2])
    with open(sys.argv[1]) as file:
        for bed in csv.DictReader(file):
            print("Bed", bed["bed"], "needs", LITRES - rain, "litres")


if __name__ == "__main__":
    main()
