#!/usr/bin/env python3
"""tools/get-data against a local server: downloads, mirrors, derivations, --from, mistakes.

Would catch: a file that is written though its checksum is wrong, a mirror that is not asked, and a derivation that
changes a bit. The sets here are small and made up; their expected bytes are worked out by other formulas than the tool's.
SharedData needs ../shared/data and LOA_PROGRAM; run alone without them it exits with 77, which ctest shows as skipped.
"""

import contextlib
import dataclasses
import functools
import hashlib
import http.server
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "get-data"
SHARED = ROOT.parent / "shared" / "data"

loader = importlib.machinery.SourceFileLoader("get_data", str(TOOL))
get_data = importlib.util.module_from_spec(importlib.util.spec_from_loader("get_data", loader))
sys.modules["get_data"] = get_data
loader.exec_module(get_data)

# A set in LIBSVM format, as it should end up.
SVM = b"+1 1:1 3:1 \n-1 \n-1 2:1 \n"

# StatLib's columns: value, income, age, rooms, bedrooms, population, households, latitude, longitude.
HOUSES = [
    ("452600", "8.3252", "41", "880", "129", "322", "126", "37.88", "-122.23"),
    ("358500", "8.3014", "21", "7099", "1106", "2401", "1138", "37.86", "-122.22"),
    ("14999", "0.4999", "52", "10", "3", "7", "3", "32.54", "-114.31"),
]
# The shortest decimals of the nearest doubles; Derive checks the quotients with rationals.
HOUSES_CSV = b"""MedInc,HouseAge,AveRooms,AveBedrms,Population,AveOccup,Latitude,Longitude,MedHouseVal
8.3252,41.0,6.984126984126984,1.0238095238095237,322.0,2.5555555555555554,37.88,-122.23,4.526
8.3014,21.0,6.238137082601054,0.9718804920913884,2401.0,2.109841827768014,37.86,-122.22,3.585
0.4999,52.0,3.3333333333333335,1.0,7.0,2.3333333333333335,32.54,-114.31,0.14999
"""

PATIENTS = [
    "59 2 32.1 101 157 93.2 38 4 4.8598 87 151",
    "48 1 21.6 87 183 103.2 70 3 3.8918 69 75",
    "72 2 30.5 93 156 93.6 41 4 4.6728 85 141",
    "24 1 25.3 84 198 131.4 40 5.13 4.804 89 206",
]
PATIENTS_TAB = ("AGE SEX BMI BP S1 S2 S3 S4 S5 S6 Y\n" + "\n".join(PATIENTS) + "\n").replace(" ", "\t").encode()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def cal_housing():
    """As in cal_housing.data: longitude, latitude, age, rooms, ..., income, value; six decimals."""
    order = (8, 7, 2, 3, 4, 5, 6, 1, 0)
    return "".join(",".join(f"{float(row[i]):f}" for i in order) + "\n" for row in HOUSES).encode()


def packed(name, data):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def scaled_exactly(texts):
    """Centred column of unit norm, in rationals but for one square root."""
    values = [Fraction(text) for text in texts]
    mean = sum(values) / len(values)
    norm = math.sqrt(sum((value - mean) ** 2 for value in values))
    return [float(value - mean) / norm for value in values]


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def run_main(self, *arguments, data_sets):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = get_data.main(["--out", str(self.out), *map(str, arguments)], data_sets or get_data.DATA_SETS)
        return status, out.getvalue(), err.getvalue()

    def assert_only(self, *files):
        """No other file in the folder, temporary ones included."""
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(files))


def small(name, final, *sources):
    """The tool's own entry with another checksum and other sources."""
    entry = next(data_set for data_set in get_data.DATA_SETS if data_set.name == name)
    return dataclasses.replace(entry, sha256=sha256(final), sources=sources)


class Download(WithFolder):
    def setUp(self):
        super().setUp()
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            os.environ.pop(variable, None)
        self.pages = self.folder / "pages"
        self.pages.mkdir()
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=self.pages)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        handler.func.log_message = lambda *_: None

    def urls(self, **files):
        for name, data in files.items():
            (self.pages / name).write_bytes(data)
        return [f"http://127.0.0.1:{self.server.server_address[1]}/{name}" for name in files]

    def test_mirrors_follow_a_missing_page_and_wrong_bytes(self):
        wrong, good = self.urls(wrong=b"1 1:1\n", good=SVM.replace(b"\n", b"\r\n")[:-2])
        status, out, err = self.run_main(data_sets=[small("w8a", SVM, wrong + "-gone", wrong, good)])
        self.assertEqual(status, 0)
        self.assertEqual((self.out / "w8a").read_bytes(), SVM)
        self.assertIn("404", err)
        self.assertIn(f"expected 3478238 bytes with sha256 {sha256(SVM)}", err)
        self.assertIn("sha256 right", out)
        self.assert_only("w8a")

    def test_wrong_checksum_keeps_the_file_that_was_there(self):
        self.out.mkdir()
        (self.out / "w8a").write_bytes(b"mine")
        status, _, err = self.run_main(data_sets=[small("w8a", SVM, *self.urls(w8a=b"<html>moved</html>"))])
        self.assertEqual(status, 1)
        self.assertIn("--from DIR", err.splitlines()[-1])
        self.assertEqual((self.out / "w8a").read_bytes(), b"mine")
        self.assert_only("w8a")

    def test_already_there_asks_nobody_and_a_damaged_file_is_replaced(self):
        self.out.mkdir()
        (self.out / "w8a").write_bytes(SVM)
        self.assertIn("already there", self.run_main(data_sets=[small("w8a", SVM, "http://127.0.0.1:1/")])[1])
        (self.out / "w8a").write_bytes(SVM[:-2] + b"?\n")
        self.assertEqual(self.run_main(data_sets=[small("w8a", SVM, *self.urls(w8a=SVM))])[0], 0)
        self.assertEqual((self.out / "w8a").read_bytes(), SVM)

    def test_names_choose_and_one_failure_does_not_stop_the_others(self):
        svm, houses = self.urls(w8a=SVM, houses=packed("CaliforniaHousing/cal_housing.data", cal_housing()))
        sets = [small("w8a", SVM, svm), small("mushrooms", SVM, svm + "-gone"), small("california", HOUSES_CSV, houses)]
        self.assertEqual(self.run_main("w8a", data_sets=sets)[0], 0)
        self.assert_only("w8a")
        self.assertEqual(self.run_main(data_sets=sets)[0], 1)
        self.assert_only("w8a", "california_housing.csv")
        self.assertEqual((self.out / "california_housing.csv").read_bytes(), HOUSES_CSV)


class Derive(unittest.TestCase):
    def test_california_values_are_the_nearest_doubles(self):
        lines = get_data.derive_california(cal_housing()).decode().splitlines()
        for line, row in zip(lines[1:], HOUSES):
            value, income, age, rooms, bedrooms, population, households, latitude, longitude = map(Fraction, row)
            exact = (income, age, rooms / households, bedrooms / households, population, population / households,
                     latitude, longitude, value / 100000)
            self.assertEqual([float(field) for field in line.split(",")], [float(number) for number in exact])

    def test_diabetes_against_rationals(self):
        lines = get_data.derive_diabetes(PATIENTS_TAB).decode().splitlines()
        self.assertEqual(lines[0], "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,target")
        columns = list(zip(*(map(float, line.split(",")) for line in lines[1:])))
        raw = list(zip(*(row.split() for row in PATIENTS)))
        for column, texts in zip(columns[:10], raw):
            for found, expected in zip(column, scaled_exactly(texts)):
                self.assertAlmostEqual(found, expected, delta=1e-14)  # condition: mean / deviation is below 20
        self.assertEqual(columns[10], tuple(map(float, raw[10])))

    def test_diabetes_last_bits_follow_the_stated_order_of_operations(self):
        # n = 4, so dividing by sqrt(n) is exact; ages 59 48 72 24 have the mean 50.75, exactly.
        first = get_data.derive_diabetes(PATIENTS_TAB).decode().splitlines()[1].split(",")[0]
        deviation = math.sqrt((8.25**2 + 2.75**2 + 21.25**2 + 26.75**2) / 4)  # exact but for the root
        self.assertEqual(float(first), 8.25 / deviation / 2)

    def test_three_decimals_are_rounded_twice(self):
        self.assertEqual(get_data.to_float_stepwise("4.804"), 4804 / 10 / 100)
        self.assertNotEqual(get_data.to_float_stepwise("4.804"), 4.804)
        for text in ("87", "32.1", "5.13", "4.8598", "6.107"):
            self.assertEqual(get_data.to_float_stepwise(text), float(text))


class FromFolder(WithFolder):
    def test_final_raw_and_packed_files(self):
        diabetes = get_data.derive_diabetes(PATIENTS_TAB)
        finals = {"w8a": SVM, "california_housing.csv": HOUSES_CSV, "diabetes.csv": diabetes}
        sets = [small("w8a", SVM), small("california", HOUSES_CSV), small("diabetes", diabetes)]
        for files in (finals,
                      {"w8a": SVM, "cal_housing.data": cal_housing(), "diabetes.tab.txt": PATIENTS_TAB},
                      {"w8a": SVM, "cal_housing.tgz": packed("x/cal_housing.data", cal_housing()),
                       "diabetes.csv": b"damaged", "diabetes.data": PATIENTS_TAB.replace(b"\n", b"\r\n")}):
            with tempfile.TemporaryDirectory() as source, self.subTest(sorted(files)):
                for name, data in files.items():
                    (Path(source) / name).write_bytes(data)
                self.out = Path(source) / "out"
                self.assertEqual(self.run_main("--from", source, data_sets=sets)[0], 0)
                self.assertEqual({name: (self.out / name).read_bytes() for name in finals}, finals)
                self.assert_only(*finals)


class CommandLine(WithFolder):
    """The program itself, as a user starts it."""

    def run_tool(self, *arguments):
        return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def test_mistakes(self):
        file = self.folder / "file"
        file.write_text("")
        for arguments, text in (
            (["w9a"], "found the data set 'w9a', expected one of w8a, mushrooms, california, diabetes"),
            (["--no-such"], "--no-such"),
            (["--from", self.folder / "none"], "found no folder"),
            (["--out", file, "w8a"], "expected a folder that can be written"),
        ):
            result = self.run_tool(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(text, result.stderr)

    def test_list(self):
        result = self.run_tool("--list", "--out", self.out)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for data_set in get_data.DATA_SETS:
            for text in (data_set.name + ":", data_set.sha256, str(data_set.num_bytes), data_set.licence,
                         *data_set.sources):
                self.assertIn(text, result.stdout)
        self.assertFalse(self.out.exists())

    def test_page_and_tool_agree(self):
        page = (ROOT / "docs" / "data.md").read_text()
        for data_set in get_data.DATA_SETS:
            for text in (f"`{data_set.file}`", data_set.size):
                self.assertIn(text, page)

    def test_default_folder_is_ignored_by_git(self):
        self.assertIn("/data/", (ROOT / ".gitignore").read_text().splitlines())


class SharedData(WithFolder):
    """The real sets: taken from ../shared/data, rebuilt from their raw tables, read by the program."""

    @classmethod
    def setUpClass(cls):
        if not SHARED.is_dir():
            raise unittest.SkipTest("no ../shared/data")

    def rows(self, name):
        lines = (SHARED / name).read_text().splitlines()[1:]
        return [[float(field) for field in line.split(",")] for line in lines]

    def assert_right(self, *names):
        for data_set in get_data.DATA_SETS:
            if data_set.name in names:
                self.assertEqual(sha256((self.out / data_set.file).read_bytes()), data_set.sha256)

    def test_all_four_and_the_program_reads_them(self):
        status, _, err = self.run_main("--from", SHARED, data_sets=None)
        self.assertEqual((status, err), (0, ""))
        self.assert_right("w8a", "mushrooms", "california", "diabetes")
        program = os.environ.get("LOA_PROGRAM")
        if program is None:
            self.skipTest("no LOA_PROGRAM: the files were not read by the program")
        for spec, n in (("ridge:data={}/diabetes.csv,l2=0.1", 10), ("ridge:data={}/california_housing.csv,l2=0.1", 8),
                        ("logistic:data={}/mushrooms,l2=1/m", 112), ("logistic:data={}/w8a,l2=1/m", 300)):
            result = subprocess.run([program, "solve", "--problem", spec.format(self.out), "--algorithm", "bfgs",
                                     "--iterations", "3", "--json"], capture_output=True, text=True, timeout=300)
            self.assertEqual(result.stderr, "", spec)
            self.assertEqual(json.loads(result.stdout)["n"], n, spec)

    def raw_california(self):
        """cal_housing.data: every quotient gives back its integers."""
        lines = []
        for income, age, rooms, bedrooms, population, occupancy, latitude, longitude, value in self.rows(
                "california_housing.csv"):
            households = round(population / occupancy)
            fields = (longitude, latitude, age, round(rooms * households), round(bedrooms * households), population,
                      households, income, round(value * 100000))
            lines.append(",".join(f"{field:f}" for field in fields) + "\n")
        return "".join(lines).encode()

    def test_california_from_the_raw_table(self):
        raw = self.raw_california()
        # The checksum that a user of the public file published for cal_housing.data; not made from ours.
        self.assertEqual(sha256(raw), "a2b44dcc7e1c9091b43c4f458b25cbd1f7e8068d08edd26bc4703108d3fa6214")
        (self.folder / "cal_housing.data").write_bytes(raw)
        self.assertEqual(self.run_main("--from", self.folder, "california", data_sets=None)[0], 0)
        self.assert_right("california")

    def test_diabetes_from_the_raw_table(self):
        # The least and greatest value of each column, published with the set, undo the scaling.
        least = (19, 1, 18, 62, 97, 41.6, 22, 2, 3.2581, 58)
        greatest = (79, 2, 42.2, 133, 301, 242.4, 99, 9.09, 6.107, 124)
        decimals = (0, 0, 1, 2, 0, 1, 1, 2, 4, 0)
        columns = list(zip(*self.rows("diabetes.csv")))
        for j in range(10):
            low, high = min(columns[j]), max(columns[j])
            factor = (greatest[j] - least[j]) / (high - low)
            columns[j] = [round(least[j] + (value - low) * factor, decimals[j]) for value in columns[j]]
        raw = ("AGE SEX BMI BP S1 S2 S3 S4 S5 S6 Y\n" + "".join(
            " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in row) + "\n" for row in zip(*columns)))
        raw = raw.replace(" ", "\t").encode()
        # The checksum that a user of the authors' page published for diabetes.data; not made from ours.
        self.assertEqual(hashlib.md5(raw).hexdigest(), "af0c583c28547d76cd2db5f5c67de7e8")
        (self.folder / "diabetes.data").write_bytes(raw)
        self.assertEqual(self.run_main("--from", self.folder, "diabetes", data_sets=None)[0], 0)
        self.assert_right("diabetes")


if __name__ == "__main__":
    if sys.argv[1:] == ["SharedData"] and not SHARED.is_dir():
        print("skipped: no ../shared/data")
        sys.exit(77)
    unittest.main()
