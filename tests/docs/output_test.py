"""What a page shows under the listing of an example is what the example prints.

    output_test.py PROGRAM PAGE EXAMPLE       PAGE shows EXAMPLE, examples/FILE, in a block, and in the next one its output

On the page `...` stands for one word that differs from run to run, such as seconds.

Would catch: an example, a message or a number of evaluations that changed and a page that did not.
"""

import re
import subprocess
import sys


def blocks_after(text, marker):
    return re.findall(r"^```\w*\n(.*?)^```$", text[text.index(marker) :], re.DOTALL | re.MULTILINE)


def main():
    program, page, example = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        shown = blocks_after(file.read(), f"<!-- {example} -->")[1].split()
    result = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    printed = result.stdout.split()
    same = len(shown) == len(printed) and all(a in (b, "...") for a, b in zip(shown, printed))
    if not same or result.returncode != 0:
        print(f"{page}: shows under {example}\n{' '.join(shown)}\nexpected\n{' '.join(printed)}\nstatus {result.returncode}")
    return 0 if same and result.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
