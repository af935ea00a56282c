#!/usr/bin/env python3
"""tools/get-data against a local server: downloads, mirrors, retries, derivations, --from, mistakes.

The sets here are small and made up; their expected bytes are worked out below by other formulas than the tool's.
SharedData needs ../shared/data and LOA_PROGRAM; run alone without them it exits with 77, which ctest shows as skipped.
"""

import bz2
import contextlib
import dataclasses
import gzip
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
import zipfile
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
get_data.RETRY_WAIT = 0.0

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


def cadata():
    """As in cadata.txt: an introduction, then 17 digits, Windows line ends."""
    text = "S&P Letters Data\nThe 3 following lines:\n\n"
    return (text + "".join("  ".join(f"{float(v):.16e}" for v in row) + "\n" for row in HOUSES)).replace(
        "\n", "\r\n").encode()


def packed_tar(name, data, mode="w:gz"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def packed_zip(name, data):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


def scaled_exactly(texts):
    """Centred column of unit norm, in rationals but for one square root."""
    values = [Fraction(text) for text in texts]
    mean = sum(values) / len(values)
    norm = math.sqrt(sum((value - mean) ** 2 for value in values))
    return [float(value - mean) / norm for value in values]


class Server:
    """Answers from `pages`: path -> list of (status, body, length to promise), the last one for ever."""

    def __init__(self):
        self.pages, self.asked = {}, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                answers = outer.pages.get(self.path, [(404, b"no such page", None)])
                status, body, length = answers.pop(0) if len(answers) > 1 else answers[0]
                if status == "silent":
                    outer.release.wait(20)
                    return
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", body.decode())
                    body = b""
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.release = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def put(self, path, *answers):
        self.pages[path] = [answer if isinstance(answer, tuple) else (200, answer, None) for answer in answers]

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def close(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def run_main(self, *arguments, data_sets):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = get_data.main(["--out", str(self.out), *map(str, arguments)], data_sets)
        return status, out.getvalue(), err.getvalue()

    def assert_only(self, *files):
        """No other file in the folder, temporary ones included."""
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(files))


def small(name, final, num_rows, sources=()):
    """The tool's own entry with other sizes, checksum and sources."""
    entry = next(data_set for data_set in get_data.DATA_SETS if data_set.name == name)
    return dataclasses.replace(entry, num_bytes=len(final), sha256=sha256(final), num_rows=num_rows,
                               sources=tuple(sources))


class Download(WithFolder):
    def setUp(self):
        super().setUp()
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            os.environ.pop(variable, None)
        self.server = Server()
        self.addCleanup(self.server.close)

    def w8a(self, *paths):
        return [small("w8a", SVM, 3, [(self.server.url(path),) for path in paths])]

    def test_good(self):
        self.server.put("/w8a", SVM)
        status, out, err = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual((self.out / "w8a").read_bytes(), SVM)
        self.assertEqual((self.out / "w8a").stat().st_mode & 0o777, 0o644)
        self.assertIn("sha256 right", out)
        self.assert_only("w8a")

    def test_line_ends_and_packing_do_not_matter(self):
        windows = SVM.replace(b"\n", b"\r\n")[:-2]  # nor does a missing last line end
        for body in (windows, bz2.compress(SVM), gzip.compress(windows), packed_zip("w8a", windows),
                     packed_tar("data/w8a", SVM, "w:gz"), packed_tar("w8a", SVM, "w:bz2"), packed_tar("w8a", SVM, "w")):
            with self.subTest(body[:4]):
                self.server.put("/w8a", body)
                (self.out / "w8a").unlink(missing_ok=True)
                self.assertEqual(self.run_main(data_sets=self.w8a("/w8a"))[0], 0)
                self.assertEqual((self.out / "w8a").read_bytes(), SVM)

    def test_wrong_checksum_writes_nothing(self):
        wrong = SVM.replace(b"3:1", b"4:1")
        self.server.put("/w8a", wrong)
        status, _, err = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 1)
        self.assertIn(f"found {len(wrong)} bytes with sha256 {sha256(wrong)}, "
                      f"expected {len(SVM)} bytes with sha256 {sha256(SVM)}", err)
        self.assertEqual(len(err.splitlines()), 2)  # the source, and what to do
        self.assertIn("--from DIR", err.splitlines()[1])
        self.assert_only()

    def test_wrong_checksum_keeps_the_file_that_was_there(self):
        self.server.put("/w8a", b"<html>moved</html>")
        self.out.mkdir()
        (self.out / "w8a").write_bytes(b"mine")
        self.assertEqual(self.run_main(data_sets=self.w8a("/w8a"))[0], 1)
        self.assertEqual((self.out / "w8a").read_bytes(), b"mine")
        self.assert_only("w8a")

    def test_mirrors_follow_404_and_wrong_bytes(self):
        self.server.put("/wrong", b"1 1:1\n")
        self.server.put("/good", SVM)
        self.server.put("/never", SVM)
        status, _, err = self.run_main(data_sets=self.w8a("/gone", "/wrong", "/good", "/never"))
        self.assertEqual(status, 0)
        self.assertIn("found HTTP status 404, expected 200", err)
        self.assertEqual(self.server.asked, ["/gone", "/wrong", "/good"])  # neither failure is retried
        self.assertEqual((self.out / "w8a").read_bytes(), SVM)

    def test_truncated_transfer_is_retried(self):
        self.server.put("/w8a", (200, SVM[:9], len(SVM)), SVM)
        self.assertEqual(self.run_main(data_sets=self.w8a("/w8a"))[0], 0)
        self.assertEqual(self.server.asked, ["/w8a"] * 2)

    def test_truncated_for_ever(self):
        self.server.put("/w8a", (200, SVM[:9], len(SVM)))
        status, _, err = self.run_main("--retries", 1, data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 1)
        self.assertIn(f"found 9 bytes, expected {len(SVM)}: the transfer was cut off", err)
        self.assertEqual(self.server.asked, ["/w8a"] * 2)
        self.assert_only()

    def test_truncated_archive(self):
        for body in (bz2.compress(SVM)[:-6], gzip.compress(SVM)[:-9], packed_zip("w8a", SVM)[:-30],
                     packed_zip("other", SVM), packed_tar("other", SVM), b"\0" * 700):
            with self.subTest(body[:4]):
                self.server.put("/w8a", body)
                status, _, err = self.run_main(data_sets=self.w8a("/w8a"))
                self.assertEqual(status, 1)
                self.assertIn("archive", err)
                self.assertEqual(len(err.splitlines()), 2)

    def test_server_error_is_retried(self):
        self.server.put("/w8a", (503, b"", None), SVM)
        self.assertEqual(self.run_main(data_sets=self.w8a("/w8a"))[0], 0)

    def test_empty_answer_other_than_200_fails(self):
        self.server.put("/w8a", (202, SVM, None))
        status, _, err = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 1)
        self.assertIn("found HTTP status 202, expected 200", err)

    def test_silence(self):
        self.server.put("/w8a", ("silent", b"", None))
        self.server.put("/good", SVM)
        status, _, err = self.run_main("--timeout", 0.2, "--retries", 0, data_sets=self.w8a("/w8a", "/good"))
        self.assertEqual(status, 0)
        self.assertIn("found no answer within 0.2 s", err)

    def test_redirection_is_followed_but_not_to_files(self):
        secret = self.folder / "secret"
        secret.write_bytes(SVM)
        self.server.put("/good", SVM)
        self.server.put("/moved", (302, self.server.url("/good").encode(), None))
        self.server.put("/stolen", (302, secret.as_uri().encode(), None))
        self.assertEqual(self.run_main(data_sets=self.w8a("/stolen"))[0], 1)
        self.assertEqual(self.run_main(data_sets=self.w8a("/moved"))[0], 0)

    def test_too_large(self):
        self.server.put("/w8a", (200, b"", get_data.MAX_BYTES + 1))
        status, _, err = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 1)
        self.assertIn(f"expected at most {get_data.MAX_BYTES}", err)
        bomb = gzip.compress(bytes(get_data.MAX_BYTES + 1), 1)
        self.server.put("/w8a", bomb)
        status, _, err = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 1)
        self.assertIn(f"found more than {get_data.MAX_BYTES} bytes", err)

    def test_no_server(self):
        sets = self.w8a("/w8a")
        self.server.close()
        status, _, err = self.run_main(data_sets=sets)
        self.assertEqual(status, 1)
        self.assertIn("found no connection", err)

    def test_already_there_asks_nobody(self):
        self.out.mkdir()
        (self.out / "w8a").write_bytes(SVM)
        status, out, _ = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual((status, self.server.asked), (0, []))
        self.assertIn("already there", out)

    def test_damaged_file_is_replaced(self):
        self.out.mkdir()
        (self.out / "w8a").write_bytes(SVM[:-2] + b"?\n")
        self.server.put("/w8a", SVM)
        status, out, _ = self.run_main(data_sets=self.w8a("/w8a"))
        self.assertEqual(status, 0)
        self.assertIn("has another checksum and will be replaced", out)
        self.assertEqual((self.out / "w8a").read_bytes(), SVM)

    def test_source_url_replaces_the_sources(self):
        self.server.put("/first", b"wrong\n")
        self.server.put("/second", SVM)
        first, second = ("w8a=" + self.server.url(path) for path in ("/first", "/second"))
        status, _, _ = self.run_main("--source-url", first, "--source-url", second, data_sets=self.w8a("/built-in"))
        self.assertEqual((status, self.server.asked), (0, ["/first", "/second"]))

    def test_names_choose_and_one_failure_does_not_stop_the_others(self):
        self.server.put("/w8a", SVM)
        self.server.put("/california", cal_housing())
        mushrooms = small("mushrooms", SVM, 3, [(self.server.url("/gone"),)])
        california = small("california", HOUSES_CSV, 3, [(self.server.url("/california"),)])
        sets = self.w8a("/w8a") + [mushrooms, california]
        self.assertEqual(self.run_main("w8a", data_sets=sets)[0], 0)
        self.assert_only("w8a")
        self.assertEqual(self.run_main(data_sets=sets)[0], 1)
        self.assert_only("w8a", "california_housing.csv")

    def test_california_from_each_of_its_forms(self):
        for body in (cal_housing(), cadata(), packed_tar("CaliforniaHousing/cal_housing.data", cal_housing()),
                     packed_zip("cadata.txt", cadata()), HOUSES_CSV):
            with self.subTest(body[:20]):
                self.server.put("/c", body)
                (self.out / "california_housing.csv").unlink(missing_ok=True)
                status, _, err = self.run_main(
                    data_sets=[small("california", HOUSES_CSV, 3, [(self.server.url("/c"),)])])
                self.assertEqual((status, err), (0, ""))
                self.assertEqual((self.out / "california_housing.csv").read_bytes(), HOUSES_CSV)

    def test_two_urls_that_belong_together(self):
        features = "\n".join(" ".join(f"{float(v):.18e}" for v in row.split()[:10]) for row in PATIENTS)
        target = "\n".join(row.split()[10] for row in PATIENTS)
        final = get_data.derive_diabetes([features.encode(), target.encode()], 4)
        self.server.put("/x.gz", gzip.compress(features.encode()))
        self.server.put("/y.gz", gzip.compress(target.encode()))
        sets = [small("diabetes", final, 4, [(self.server.url("/x.gz"), self.server.url("/y.gz"))])]
        self.assertEqual(self.run_main(data_sets=sets)[0], 0)
        self.assertEqual((self.out / "diabetes.csv").read_bytes(), final)


class Derive(unittest.TestCase):
    def failure(self, derive, data, num_rows):
        with self.assertRaises(get_data.Failure) as caught:
            derive([data], num_rows)
        return str(caught.exception)

    def test_california_values_are_the_nearest_doubles(self):
        lines = get_data.derive_california([cal_housing()], 3).decode().splitlines()
        for line, row in zip(lines[1:], HOUSES):
            value, income, age, rooms, bedrooms, population, households, latitude, longitude = map(Fraction, row)
            exact = (income, age, rooms / households, bedrooms / households, population, population / households,
                     latitude, longitude, value / 100000)
            self.assertEqual([float(field) for field in line.split(",")], [float(number) for number in exact])

    def test_california_mistakes(self):
        derive, raw = get_data.derive_california, cal_housing()
        self.assertIn("found 3 rows, expected 20640", self.failure(derive, raw, 20640))
        self.assertIn("line 2: found '", self.failure(derive, raw.replace(b"1138", b"many"), 3))
        self.assertIn("line 3", self.failure(derive, raw[:-30], 3))
        self.assertIn("line 2", self.failure(derive, raw.replace(b"1138.000000", b"nan"), 3))
        self.assertIn("found 0.0 households", self.failure(derive, raw.replace(b",126.000000", b",0.000000"), 3))
        self.assertIn("found no line with 9 numbers", self.failure(derive, b"<html>\n", 3))

    def test_diabetes_against_rationals(self):
        lines = get_data.derive_diabetes([PATIENTS_TAB], 4).decode().splitlines()
        self.assertEqual(lines[0], "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,target")
        columns = list(zip(*(map(float, line.split(",")) for line in lines[1:])))
        raw = list(zip(*(row.split() for row in PATIENTS)))
        for column, texts in zip(columns[:10], raw):
            for found, expected in zip(column, scaled_exactly(texts)):
                self.assertAlmostEqual(found, expected, delta=1e-14)  # condition: mean / deviation is below 20
        self.assertEqual(columns[10], tuple(map(float, raw[10])))

    def test_diabetes_last_bits_follow_the_stated_order_of_operations(self):
        # n = 4, so dividing by sqrt(n) is exact; ages 59 48 72 24 have the mean 50.75, exactly.
        first = get_data.derive_diabetes([PATIENTS_TAB], 4).decode().splitlines()[1].split(",")[0]
        deviation = math.sqrt((8.25**2 + 2.75**2 + 21.25**2 + 26.75**2) / 4)  # exact but for the root
        self.assertEqual(float(first), 8.25 / deviation / 2)

    def test_three_decimals_are_rounded_twice(self):
        self.assertEqual(get_data.to_float_stepwise("4.804"), 4804 / 10 / 100)
        self.assertNotEqual(get_data.to_float_stepwise("4.804"), 4.804)
        for text in ("87", "32.1", "5.13", "4.8598", "6.107"):
            self.assertEqual(get_data.to_float_stepwise(text), float(text))
        for text in ("", "-1", "1e3", "nan", "1_0", "x"):
            self.assertTrue(math.isnan(get_data.to_float_stepwise(text)), text)

    def test_diabetes_mistakes(self):
        derive = get_data.derive_diabetes
        self.assertIn("found 4 rows, expected 442", self.failure(derive, PATIENTS_TAB, 442))
        self.assertIn("expected the header AGE", self.failure(derive, PATIENTS_TAB.replace(b"BMI", b"IMB"), 4))
        self.assertIn("line 3: found '", self.failure(derive, PATIENTS_TAB.replace(b"21.6", b"?"), 4))
        self.assertIn("constant column sex", self.failure(derive, PATIENTS_TAB.replace(b"\t1\t", b"\t2\t"), 4))


class FromFolder(WithFolder):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        self.source.mkdir()
        diabetes = get_data.derive_diabetes([PATIENTS_TAB], 4)
        self.finals = {"w8a": SVM, "california_housing.csv": HOUSES_CSV, "diabetes.csv": diabetes}
        self.sets = [small("w8a", SVM, 3), small("california", HOUSES_CSV, 3), small("diabetes", diabetes, 4)]

    def take(self, files):
        for name, data in files.items():
            (self.source / name).parent.mkdir(exist_ok=True)
            (self.source / name).write_bytes(data)
        return self.run_main("--from", self.source, data_sets=self.sets)

    def assert_all_there(self, result):
        self.assertEqual((result[0], result[2]), (0, ""))
        self.assertEqual({name: (self.out / name).read_bytes() for name in self.finals}, self.finals)
        self.assert_only(*self.finals)

    def test_final_files(self):
        self.assert_all_there(self.take(self.finals))

    def test_raw_files(self):
        self.assert_all_there(self.take({
            "w8a.bz2": bz2.compress(SVM.replace(b"\n", b"\r\n")), "CaliforniaHousing/cal_housing.data": cal_housing(),
            "diabetes.tab.txt": PATIENTS_TAB}))

    def test_packed_files(self):
        self.assert_all_there(self.take({
            "w8a": gzip.compress(SVM), "houses.zip": packed_zip("cadata.txt", cadata()),
            "diabetes.data": PATIENTS_TAB.replace(b"\n", b"\r\n")}))

    def test_missing_and_damaged(self):
        status, _, err = self.take({"w8a": SVM, "california_housing.csv": HOUSES_CSV[:-3]})
        self.assertEqual(status, 1)
        damaged, missing = err.splitlines()
        self.assertIn(f"california_housing.csv: found {len(HOUSES_CSV) - 2} bytes with sha256", damaged)
        self.assertIn("found no file of this set, expected one of diabetes.csv, diabetes.data,", missing)
        self.assert_only("w8a")

    def test_a_damaged_final_file_does_not_hide_a_good_raw_one(self):
        status, _, _ = self.take(dict(self.finals, **{"diabetes.csv": b"?\n", "diabetes.tab": PATIENTS_TAB}))
        self.assertEqual(status, 0)
        self.assertEqual((self.out / "diabetes.csv").read_bytes(), self.finals["diabetes.csv"])

    def test_into_itself(self):
        self.out = self.source
        status, out, _ = self.take(self.finals)
        self.assertEqual((status, out.count("already there")), (0, 3))


class CommandLine(WithFolder):
    """The program itself, as a user starts it."""

    def run_tool(self, *arguments):
        return subprocess.run([str(TOOL), *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def assert_mistake(self, arguments, text):
        result = self.run_tool(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("get-data: "), result.stderr)
        self.assertIn(text, result.stderr)

    def test_mistakes(self):
        file = self.folder / "file"
        file.write_text("")
        self.assert_mistake(["w9a"], "found the data set 'w9a', expected one of w8a, mushrooms, california, diabetes")
        self.assert_mistake(["--source-url", "w9a=http://127.0.0.1/"], "found the data set 'w9a'")
        self.assert_mistake(["--source-url", "w8a"], "expected NAME=URL")
        self.assert_mistake(["--source-url", "w8a=file:///etc/passwd"], "expected NAME=URL with an http or https URL")
        self.assert_mistake(["--timeout", "0"], "expected a number of seconds above 0")
        self.assert_mistake(["--timeout", "nan"], "expected a number of seconds above 0")
        self.assert_mistake(["--retries", "-1"], "")
        self.assert_mistake(["--no-such"], "--no-such")
        self.assert_mistake(["--from", self.folder / "none"], "found no folder")
        self.assert_mistake(["--from", self.folder, "--source-url", "w8a=http://127.0.0.1/"], "expected one of them")
        self.assert_mistake(["--out", file, "w8a"], "cannot be written")
        self.assert_mistake(["--out", file / "below", "w8a"], "cannot be written")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only_folder(self):
        self.out.mkdir(mode=0o555)
        self.assert_mistake(["--out", self.out, "w8a"], "cannot be written")

    def test_target_is_a_folder(self):
        (self.out / "w8a").mkdir(parents=True)
        (self.folder / "w8a").write_bytes(SVM)
        status, _, err = self.run_main("--from", self.folder, data_sets=[small("w8a", SVM, 3)])
        self.assertEqual(status, 2)
        self.assertEqual(len(err.splitlines()), 1)
        self.assert_only("w8a")

    def test_list(self):
        result = self.run_tool("--list", "--out", self.out)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for data_set in get_data.DATA_SETS:
            for text in (data_set.name + ":", data_set.sha256, str(data_set.num_bytes), data_set.licence,
                         data_set.sources[0][0]):
                self.assertIn(text, result.stdout)
        self.assertFalse(self.out.exists())

    def test_page_and_tool_agree(self):
        page = (ROOT / "docs" / "data.md").read_text()
        for data_set in get_data.DATA_SETS:
            for text in (data_set.sha256, f"`{data_set.file}`", str(data_set.num_bytes),
                         f"{data_set.num_rows} x {data_set.num_features}"):
                self.assertIn(text, page)
            for urls in data_set.sources:
                self.assertIn(urls[0].split("/")[2], page)  # the host

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
