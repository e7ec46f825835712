#!/usr/bin/env python3
# photographs.py FOLDER N: makes the first N photographs of FOLDER 800 pixels wide with Pillow, a process for each core;
# the small ones go to FOLDER/small.
import multiprocessing
import sys

from PIL import Image

folder, count = sys.argv[1], int(sys.argv[2])


def work(number):
    with Image.open(f"{folder}/{number}.jpg") as image:
        height = round(image.height * 800 / image.width)
        image.resize((800, height), Image.Resampling.BOX).save(f"{folder}/small/{number}.jpg", quality=85)


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        pool.map(work, range(1, count + 1), chunksize=1)
