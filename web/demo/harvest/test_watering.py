import unittest

import watering


class Water(unittest.TestCase):
    def test_dry(self):
        self.assertEqual(watering.water(0), 8)

    def test_storm(self):
        self.assertEqual(watering.water(40), 0)


if __name__ == "__main__":
    unittest.main()
