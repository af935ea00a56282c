// How high a power stands is a matter of the font, and few computers have one for formulas. Without it Chromium puts a power
// above its base, and with some fonts above a bracket: then a class lowers it (site.css).
(function () {
  "use strict";
  const probe = document.createElement("div");
  probe.style.cssText = "position:absolute;visibility:hidden";
  probe.innerHTML = "<math><msup><mi>B</mi><mn>2</mn></msup></math><math><msup><mrow><mo>‖</mo></mrow><mn>2</mn></msup></math>";
  document.body.append(probe);
  for (const power of probe.querySelectorAll("msup")) {
    const [base, exponent] = Array.from(power.querySelectorAll("mi, mo, mn"), (part) => part.getBoundingClientRect());
    const name = power.querySelector("mi") ? "loa-high-powers" : "loa-high-powers-of-brackets";
    document.documentElement.classList.toggle(name, exponent.bottom < base.top + 0.2 * base.height);
  }
  probe.remove();
})();
