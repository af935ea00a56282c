// How the report looks.
//
// Figures have a white ground in dark mode too, because their colours were chosen on white.
#pragma once

namespace loa {

inline constexpr char kReportStyle[] = R"(
:root {
  --ground: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --soft: #57606a; --line: #d5dae0; --link: #0550ae;
  --holds: #0f5f3c; --holds-ground: #d9f2e4; --partly: #6b4700; --partly-ground: #fdeec7;
  --fails: #8f1d14; --fails-ground: #fde2df; --none: #4a525b; --none-ground: #e8ebef; --shade: #0000003d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1d2125; --ink: #e4e8ec; --soft: #a3adb8; --line: #363d45; --link: #7ab8ff;
    --holds: #9be3bd; --holds-ground: #12402b; --partly: #f6d580; --partly-ground: #473506;
    --fails: #ffb4ab; --fails-ground: #571a14; --none: #c3cad2; --none-ground: #30363d; --shade: #ffffff4d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 70rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.8rem; line-height: 1.2; margin: .5rem 0 1rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .75rem; }
p, blockquote { max-width: 48rem; }
header p { font-size: 1.05rem; }
header .headline { font-size: 1.3rem; line-height: 1.4; max-width: 60rem; }
header + main > section:first-child { margin-top: 1rem; padding-top: 0; border-top: 0; }
a { color: var(--link); }
a:focus-visible, .scroll:focus-visible, .canvas:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre {
  margin: .25rem 0 1rem; padding: .6rem .8rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
}
pre code { user-select: all; }
.tally .badge { margin: 0 .4rem .3rem 0; }
nav { margin: 1.5rem 0 0; }
nav table + h2 { margin-top: 2rem; }
section, footer { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
section h2 .badge { font-size: .8rem; vertical-align: .15em; }
blockquote { margin: .25rem 0 1rem; padding: .1rem 0 .1rem 1rem; border-left: 4px solid var(--line); font-style: italic; }
blockquote p { margin: .25rem 0; }
.label { margin: .75rem 0 .25rem; font-size: .8rem; font-weight: 600; color: var(--soft); }
.finding { margin: .25rem 0 1rem; }
.note { padding: .5rem .8rem; background: var(--card); border-left: 4px solid var(--line); }
.badge {
  display: inline-block; padding: .1rem .55rem; border-radius: 1rem; font-size: .85rem; font-weight: 600;
  line-height: 1.5; white-space: nowrap; color: var(--none); background: var(--none-ground);
}
.holds { color: var(--holds); background: var(--holds-ground); }
.partly { color: var(--partly); background: var(--partly-ground); }
.fails { color: var(--fails); background: var(--fails-ground); }
figure { margin: 1.25rem 0; }
.canvas {
  overflow-x: auto; padding: .5rem; background: #ffffff; color: #000000; border: 1px solid var(--line);
  border-radius: 6px;
}
.canvas img { display: block; margin: 0 auto; max-width: 100%; height: auto; }
figcaption { margin-top: .4rem; font-size: .9rem; color: var(--soft); }
.files a { margin-right: .5rem; white-space: nowrap; }
p.files, .back { font-size: .9rem; }
p.files a { white-space: normal; overflow-wrap: anywhere; }
/* A shadow at the side on which a table goes on. */
.scroll {
  overflow-x: auto; margin: 1.25rem 0; background-color: var(--ground);
  background-image: linear-gradient(to right, var(--ground) 40%, transparent),
    linear-gradient(to left, var(--ground) 40%, transparent),
    linear-gradient(to right, var(--shade), transparent), linear-gradient(to left, var(--shade), transparent);
  background-position: left, right, left, right; background-repeat: no-repeat;
  background-size: 3rem 100%, 3rem 100%, 1rem 100%, 1rem 100%; background-attachment: local, local, scroll, scroll;
}
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
.caption { margin: 1.25rem 0 -.8rem; color: var(--soft); font-size: .92rem; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); white-space: nowrap; }
th:first-child { text-align: left; padding-left: 0; }
tbody th { font-weight: 500; }
.scroll tbody th, .scroll td { white-space: nowrap; }
.verdicts { width: 100%; }
.verdicts th, .verdicts td { text-align: left; }
.verdicts th:first-child { width: 30%; }
dl div { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .25rem 1rem; padding: .2rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  body { padding: 1rem .8rem 3rem; }
  h1 { font-size: 1.45rem; }
  h2 { font-size: 1.15rem; }
  .canvas { padding: .25rem; }
  .verdicts, .verdicts tbody, .verdicts tr, .verdicts th, .verdicts td { display: block; width: auto; }
  .verdicts thead { display: none; }
  .verdicts tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .verdicts th, .verdicts td, .verdicts th:first-child { padding: .1rem 0; border: 0; width: auto; }
  dl div { grid-template-columns: 1fr; gap: 0; }
}
@media print {
  :root {
    --ground: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --link: #000000;
    --holds: #0f5f3c; --partly: #6b4700; --fails: #8f1d14; --none: #4a525b;
    --holds-ground: #ffffff; --partly-ground: #ffffff; --fails-ground: #ffffff; --none-ground: #ffffff;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .badge { border: 1px solid currentColor; }
  .back, .files { display: none; }
  .canvas, .scroll { overflow: visible; border: 0; padding: 0; }
  .canvas img { min-width: 0 !important; }
  .scroll { background-image: none; }
  figure, tr, blockquote { break-inside: avoid; }
  h2 { break-after: avoid; }
}
)";

}  // namespace loa
