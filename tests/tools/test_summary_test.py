#!/usr/bin/env python3
"""tools/run_tests and tools/test_summary count what ctest really ran.

Would catch: a missing program or fixture counted as skipped, a status of ctest that is lost, a skip without its reason, a
closing line that is not the last one; a program with many tests that counts as one, whose crash is lost, or whose results are
those of an earlier run.
"""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"
GOOGLETEST = r"""
add_test(NAME {name} COMMAND printf "[ RUN      ] A.B\\n/x/a_test.cc:12: Skipped\\n/x/y/../shared/z is not there\\n\\n[  SKIPPED ] A.B\\n")
set_tests_properties({name} PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
"""
SCRIPT = """
add_test(NAME script COMMAND sh -c "echo first; echo 'docs: skipped: no MkDocs'; exit 77")
set_tests_properties(script PROPERTIES SKIP_RETURN_CODE 77)
"""
GOOD = r"""
add_test(NAME good COMMAND printf "\\033[1mgood & <well>\\n")
"""
FAILING = """
add_test(NAME bad COMMAND false)
add_test(NAME gone COMMAND /nonexistent/program)
add_test(NAME setup COMMAND false)
set_tests_properties(setup PROPERTIES FIXTURES_SETUP fixture)
add_test(NAME needs_it COMMAND true)
set_tests_properties(needs_it PROPERTIES FIXTURES_REQUIRED fixture)
"""

# Four tests in one process, which leaves its results if it can.
SHARD = r"""
add_test(NAME shard COMMAND sh -c "{command}" WORKING_DIRECTORY ${{CMAKE_BINARY_DIR}})
file(WRITE ${{CMAKE_BINARY_DIR}}/shard.xml [=[{xml}]=])
file(WRITE ${{CMAKE_BINARY_DIR}}/results/shard.xml [[of an earlier run]])
"""
LEAVE_RESULTS = "mkdir -p results && cp shard.xml results/"
XML_OF_GOOGLETEST = """<?xml version="1.0"?>
<testsuites><testsuite name="A">
<testcase name="Good" status="run" result="completed" classname="A"/>
<testcase name="Off" status="notrun" result="suppressed" classname="A"/>
<testcase name="Skipped" status="run" result="skipped" classname="A">
<skipped message="/x/a_test.cc:12&#x0A;/x/y/../shared/z is not there&#x0A;"><![CDATA[/x/a_test.cc:12
]]></skipped></testcase>
{last}
</testsuite></testsuites>
"""
LAST_GOOD = '<testcase name="Last" status="run" result="completed" classname="A"/>'
LAST_BAD = '<testcase name="Last" status="run" result="completed" classname="A"><failure message="1" type=""/></testcase>'

XML_OF_PYTEST = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_good"/>
<testcase classname="tests.test_a" name="test_skipped"><skipped type="pytest.skip" message="could not import 'jax'">a.py:3: x</skipped></testcase>
{last}
</testsuite></testsuites>
"""
PYTEST_ERROR = '<testcase classname="tests.test_a" name="test_setup"><error message="1">x</error></testcase>'


class TestSummary(unittest.TestCase):
    def run_tests(self, tests):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.25)\nproject(sample LANGUAGES NONE)\nenable_testing()\n{tests}")
            subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", f"{folder}/build"], check=True, capture_output=True)
            done = subprocess.run([TOOLS / "run_tests", f"{folder}/build"], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_counts_and_groups_reasons(self):
        status, lines = self.run_tests(GOOD + GOOGLETEST.format(name="one") + GOOGLETEST.format(name="two") + SCRIPT)
        self.assertEqual(status, 0)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 3 skipped")
        self.assertIn("     2  ../shared/z is not there", lines)
        self.assertIn("     1  no MkDocs", lines)

    def test_counts_the_tests_of_a_shard(self):
        good = XML_OF_GOOGLETEST.format(last=LAST_GOOD)
        status, lines = self.run_tests(GOOD + SHARD.format(command=LEAVE_RESULTS, xml=good))
        self.assertEqual((status, lines[-1]), (0, "3 passed, 0 failed, 2 skipped"))
        self.assertIn("     1  ../shared/z is not there", lines)

    def test_names_the_failed_tests_of_a_shard(self):
        bad = XML_OF_GOOGLETEST.format(last=LAST_BAD)
        status, lines = self.run_tests(SHARD.format(command=f"{LEAVE_RESULTS}; exit 1", xml=bad))
        self.assertEqual((status, lines[-1]), (8, "1 passed, 1 failed, 2 skipped"))
        self.assertEqual([line for line in lines if line.startswith("        ")], ["        A.Last"])

    def test_counts_the_tests_of_pytest_and_says_why_some_were_skipped(self):
        status, lines = self.run_tests(SHARD.format(command=LEAVE_RESULTS, xml=XML_OF_PYTEST.format(last="")))
        self.assertEqual((status, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("     1  could not import 'jax'", lines)
        bad = XML_OF_PYTEST.format(last=PYTEST_ERROR)
        status, lines = self.run_tests(SHARD.format(command=f"{LEAVE_RESULTS}; exit 1", xml=bad))
        self.assertEqual((status, lines[-1]), (8, "1 passed, 1 failed, 1 skipped"))
        self.assertIn("        tests.test_a.test_setup", lines)

    def test_a_shard_that_crashes_has_failed(self):
        good = XML_OF_GOOGLETEST.format(last=LAST_GOOD)
        status, lines = self.run_tests(SHARD.format(command="exit 139", xml=good))  # before it could write
        self.assertEqual((status, lines[-1]), (8, "0 passed, 1 failed, 0 skipped"))
        status, lines = self.run_tests(SHARD.format(command=f"{LEAVE_RESULTS}; exit 139", xml=good))  # and after that
        self.assertEqual((status, lines[-1]), (8, "2 passed, 1 failed, 2 skipped"))
        self.assertIn("        shard", lines)

    def test_keeps_the_status_of_ctest(self):
        status, lines = self.run_tests(GOOD + FAILING)
        self.assertEqual(status, 8)  # what ctest gives for failed tests
        self.assertEqual(lines[-1], "1 passed, 4 failed, 0 skipped")

    def test_adds_files_up(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "results.xml")
            path.write_text('<testsuite><testcase name="a" status="run"/></testsuite>')
            done = subprocess.run([TOOLS / "test_summary", path, path], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "2 passed, 0 failed, 0 skipped"))

    def test_refuses_what_is_no_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "results.xml")
            for text in (None, "<testsuite>"):
                if text is not None:
                    path.write_text(text)
                done = subprocess.run([TOOLS / "test_summary", path], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"^{re.escape(str(path))}: found .*, expected the results of ctest\n$")
            path.write_text("<testsuite/>")  # nothing was run: no success
            self.assertEqual(subprocess.run([TOOLS / "test_summary", path], capture_output=True).returncode, 1)


if __name__ == "__main__":
    unittest.main()
