"""Says which beds are ready to harvest. Usage: python3 harvest.py beds.csv"""

import csv
import datetime
import sys


def ready(bed, today):
    sown = datetime.date.fromisoformat(bed["sown"])
    return (today - sown).days >= int(bed["days"])


def main():
    today = datetime.date.today()
    with open(sys.argv[1]) as file:
        for bed in csv.DictReader(file):
            if ready(bed, today):
                print("Bed", bed["bed"], "is ready:", bed["plant"])


if __name__ == "__main__":
    main()
