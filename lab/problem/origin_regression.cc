// regression:NAME,start=near|far, nonlinear least squares: f(b) = 1/2 sum_i (y_i - model(t_i; b))^2.
//
// The forms of D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications" (1988), G. A. F. Seber
// and C. J. Wild, "Nonlinear Regression" (1989), and of NIST's Statistical Reference Datasets, in their own parameters
// and without transformations of these. The data are ours: the model at true parameters of stated size, moved by at
// most 20 %, and noise of 2 % of the largest |model|.
#include <cmath>

#include "problem/origin.h"

namespace loa::origin {
namespace {

// The true parameters, how little is known of the logarithm of each (1: a far start is off by factors from 10 to 100;
// less for positions and periods, which are seen in the data), and the times.
struct Design {
  std::vector<double> truth, reach;
  double first, last;
  Index num_data = 40;
};

bool is_usable_start(Objective& f, const Vector& b) {
  Vector grad(b.size());
  const double value = f.value_and_gradient(b, grad);
  // A gradient that is not far above gtol would end the run at once.
  return std::isfinite(value) && value < 1e12 && grad.allFinite() && grad.lpNorm<Eigen::Infinity>() > 1e-2;
}

// near: b_j times 10^(0.15 reach_j N(0,1)). far: b_j times 10^(+-reach_j U[1,2]). The exponents are halved until f and
// its gradient are usable.
Vector draw_start(Objective& f, const Vector& truth, const std::vector<double>& reach, Draw& draw) {
  Vector exponent = vector_of(truth.size(), [&](Index j) {
    const double sign = chance(0.5, draw.start) ? 1.0 : -1.0, far = draw.start.uniform(1.0, 2.0);
    const double near = 0.15 * draw.start.normal();
    return (draw.is_far ? sign * far : near) * reach[static_cast<std::size_t>(j)];
  });
  const auto start = [&] {
    return vector_of(truth.size(), [&](Index j) { return truth[j] * std::pow(10.0, exponent[j]); });
  };
  for (int k = 0; k < 8 && !is_usable_start(f, start()); ++k) exponent *= 0.5;
  return start();
}

// model(t, b) over any scalar type of b.
template <class Model>
Made fit(const Design& design, Draw& draw, Model model) {
  const Index n = static_cast<Index>(design.truth.size()), m = design.num_data;
  const Vector truth = vector_of(n, [&](Index j) {
    const auto k = static_cast<std::size_t>(j);
    return design.truth[k] * std::exp(0.2 * design.reach[k] * draw.data.uniform(-1.0, 1.0));
  });
  const Vector t =
      vector_of(m, [&](Index i) { return design.first + (design.last - design.first) * real(i) / real(m - 1); });
  Vector y = vector_of(m, [&](Index i) { return model(t[i], truth.data()); });
  y += normals(m, draw.data, 0.02 * y.lpNorm<Eigen::Infinity>());
  Made result = made(truth, [=](const auto* b, auto*) {
    return total(0, m, [&](Index i) { return 0.5 * square(model(t[i], b) - y[i]); });
  });
  result.start = draw_start(*result.objective, truth, design.reach, draw);
  return result;
}

Made make_michaelis_menten(Index, Draw& draw) {
  return fit({{20.0, 0.6}, {1.0, 1.0}, 0.1, 4.0}, draw, [](double t, const auto* b) { return b[0] * t / (b[1] + t); });
}
Made make_saturation(Index, Draw& draw) {
  return fit({{24.0, 0.005}, {1.0, 1.0}, 10.0, 800.0}, draw,
             [](double t, const auto* b) { return b[0] * (1.0 - exp(-t * b[1])); });
}
Made make_hill(Index, Draw& draw) {
  return fit({{8.0, 3.0, 2.5}, {1.0, 1.0, 0.4}, 0.2, 12.0}, draw,
             [](double t, const auto* b) { return b[0] / (1.0 + exp(b[2] * (log(b[1]) - std::log(t)))); });
}
Made make_logistic_growth(Index, Draw& draw) {
  return fit({{70.0, 2.6, 0.07}, {1.0, 0.5, 1.0}, 5.0, 80.0}, draw,
             [](double t, const auto* b) { return b[0] / (1.0 + exp(b[1] - t * b[2])); });
}
Made make_gompertz(Index, Draw& draw) {
  return fit({{7.0, 8.0, 0.5}, {1.0, 1.0, 1.0}, 0.0, 12.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(-b[1] * exp(-t * b[2])); });
}
Made make_richards(Index, Draw& draw) {
  return fit({{70.0, 5.0, 0.75, 1.3}, {1.0, 0.5, 1.0, 0.7}, 1.0, 15.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(-log(1.0 + exp(b[1] - t * b[2])) / b[3]); });
}
Made make_weibull_growth(Index, Draw& draw) {
  return fit({{70.0, 60.0, 0.002, 1.7}, {1.0, 1.0, 0.5, 0.15}, 5.0, 80.0}, draw,
             [](double t, const auto* b) { return b[0] - b[1] * exp(-b[2] * exp(b[3] * std::log(t))); });
}
Made make_two_exponentials(Index, Draw& draw) {
  return fit({{5.0, 2.0, 3.0, 0.3}, {1.0, 1.0, 1.0, 1.0}, 0.0, 6.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(-t * b[1]) + b[2] * exp(-t * b[3]); });
}
// Lanczos (1956).
Made make_three_exponentials(Index, Draw& draw) {
  return fit(
      {{0.1, 1.0, 0.9, 3.0, 1.5, 5.0}, {0.7, 0.7, 0.7, 0.7, 0.7, 0.7}, 0.0, 2.0}, draw,
      [](double t, const auto* b) { return b[0] * exp(-t * b[1]) + b[2] * exp(-t * b[3]) + b[4] * exp(-t * b[5]); });
}
// e^{-b_1 t}/(b_2 + b_3 t), ultrasonic response.
Made make_chwirut(Index, Draw& draw) {
  return fit({{0.2, 0.006, 0.012}, {1.0, 1.0, 1.0}, 0.5, 6.0}, draw,
             [](double t, const auto* b) { return exp(-t * b[0]) / (b[1] + t * b[2]); });
}
// Quadratic over quadratic, and cubic over cubic as in electron mobility.
Made make_rational(Index, Draw& draw) {
  return fit({{2.0, -0.2, 0.5, -0.3, 0.15}, {1.0, 1.0, 1.0, 0.5, 0.5}, 0.0, 4.0}, draw,
             [](double t, const auto* b) { return (b[0] + t * (b[1] + t * b[2])) / (1.0 + t * (b[3] + t * b[4])); });
}
Made make_mobility(Index, Draw& draw) {
  return fit({{13.0, 15.0, 6.0, 0.8, 1.0, 0.4, 0.05}, {1.0, 1.0, 1.0, 1.0, 0.3, 0.3, 0.3}, -1.0, 2.2}, draw,
             [](double t, const auto* b) {
               return (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1.0 + t * (b[4] + t * (b[5] + t * b[6])));
             });
}
// Two peaks on a decaying ground.
Made make_two_peaks(Index, Draw& draw) {
  return fit(
      {{90.0, 0.01, 100.0, 67.0, 23.0, 70.0, 150.0, 18.0}, {0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.1, 0.5}, 1.0, 250.0, 80},
      draw, [](double t, const auto* b) {
        return b[0] * exp(-t * b[1]) + b[2] * exp(-square((t - b[3]) / b[4])) + b[5] * exp(-square((t - b[6]) / b[7]));
      });
}
// b_1/b_2 exp(-(t - b_3)^2/(2 b_2^2)), transmittance.
Made make_transmittance(Index, Draw& draw) {
  return fit({{1.6, 4.0, 45.0}, {1.0, 0.5, 0.05}, 30.0, 70.0}, draw,
             [](double t, const auto* b) { return b[0] / b[1] * exp(-0.5 * square((t - b[2]) / b[1])); });
}
// A spectrum of Lorentz lines, n = 3 k: height, position, width.
Made make_spectrum(Index n, Draw& draw) {
  const Index count = n / 3;
  Design design{.truth = {}, .reach = {}, .first = 0.0, .last = real(count + 1), .num_data = 10 * count + 20};
  for (Index k = 0; k < count; ++k) {
    for (const double b : {1.0 + real(k % 3), real(k + 1), 0.3}) design.truth.push_back(b);
    for (const double r : {1.0, 0.1 / real(k + 1), 0.7}) design.reach.push_back(r);
  }
  return fit(design, draw, [=]<class T>(double t, const T* b) {
    return total(0, count, [=](Index k) { return b[3 * k] / (1.0 + square((t - b[3 * k + 1]) / b[3 * k + 2])); });
  });
}
Made make_power_law(Index, Draw& draw) {
  return fit({{0.8, 1.6, 2.0}, {1.0, 0.3, 1.0}, 1.0, 12.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(b[1] * std::log(t)) + b[2]; });
}
// b_1 (b_2 + t)^{-1/b_3}, superconductivity.
Made make_bennett(Index, Draw& draw) {
  return fit({{250.0, 45.0, 0.9}, {1.0, 0.7, 0.2}, 7.0, 52.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(-log(b[1] + t) / b[2]); });
}
// b_1 e^{b_2/(t + b_3)}, resistance of a thermistor.
Made make_thermistor(Index, Draw& draw) {
  return fit({{0.5, 60.0, 20.0}, {1.0, 0.4, 0.7}, 5.0, 60.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(b[1] / (t + b[2])); });
}
// b_1 e^{-b_2/(R T)}, a rate of reaction, T in kelvin, R in kJ.
Made make_arrhenius(Index, Draw& draw) {
  return fit({{4e5, 40.0}, {1.0, 0.3}, 300.0, 420.0}, draw,
             [](double t, const auto* b) { return b[0] * exp(b[1] * (-120.27236 / t)); });
}
Made make_damped_oscillation(Index, Draw& draw) {
  return fit({{3.0, 0.2, 2.0, 0.4, 1.0}, {1.0, 1.0, 0.3, 0.5, 1.0}, 0.0, 12.0, 60}, draw,
             [](double t, const auto* b) { return b[0] * exp(-t * b[1]) * cos(t * b[2] + b[3]) + b[4]; });
}
// A mean, an annual cycle and one of free period.
Made make_seasons(Index, Draw& draw) {
  return fit({{10.0, 3.0, 0.5, 26.0, 1.5, -1.0}, {0.5, 0.5, 0.5, 0.2, 0.5, 0.5}, 1.0, 120.0, 120}, draw,
             [](double t, const auto* b) {
               constexpr double kTurn = 6.283185307179586;
               return b[0] + b[1] * std::cos(kTurn * t / 12.0) + b[2] * std::sin(kTurn * t / 12.0) +
                      b[4] * cos((kTurn * t) / b[3]) + b[5] * sin((kTurn * t) / b[3]);
             });
}
// b_1 - b_2 t - arctan(b_3/(t - b_4))/pi, quantum defects.
Made make_quantum_defect(Index, Draw& draw) {
  return fit({{2.0, 0.05, 6.0, -2.0}, {1.0, 1.0, 1.0, 0.7}, 2.0, 30.0}, draw,
             [](double t, const auto* b) { return b[0] - t * b[1] - atan(b[2] / (t - b[3])) * 0.3183098861837907; });
}
// Absorption and elimination of a drug: dose k_a/(k_a - k_e) (e^{-k_e t} - e^{-k_a t})/V.
Made make_pharmacokinetics(Index, Draw& draw) {
  return fit({{1.8, 0.15, 0.5}, {1.0, 0.7, 1.0}, 0.25, 24.0, 25}, draw, [](double t, const auto* b) {
    return 10.0 * b[0] / (b[2] * (b[0] - b[1])) * (exp(-t * b[1]) - exp(-t * b[0]));
  });
}
// The infected of an epidemic, s' = -b s i, i' = b s i - g i, i(0) = b_3/100, by 80 Euler steps to t.
Made make_epidemic(Index, Draw& draw) {
  return fit({{0.9, 0.3, 1.0}, {0.5, 0.5, 0.7}, 0.5, 30.0, 25}, draw, []<class T>(double t, const T* b) {
    const double h = t / 80.0;
    T i = 0.01 * b[2], s = 1.0 - i;
    for (int k = 0; k < 80; ++k) {
      const T infections = h * (b[0] * s * i);
      s = s - infections;
      i = i + infections - h * (b[1] * i);
    }
    return 10.0 * i;
  });
}

constexpr Sizes fixed(Index n) { return {.low = n, .usual = n, .high = n}; }

}  // namespace

const std::vector<Variant>& regression_variants() {
  static const std::vector<Variant> variants = {
      {"michaelis-menten", "the velocity of an enzyme", fixed(2), make_michaelis_menten},
      {"saturation", "an exponential approach to a limit", fixed(2), make_saturation},
      {"hill", "a dose and its response", fixed(3), make_hill},
      {"logistic-growth", "logistic growth", fixed(3), make_logistic_growth},
      {"gompertz", "Gompertz growth", fixed(3), make_gompertz},
      {"richards", "Richards growth", fixed(4), make_richards},
      {"weibull-growth", "Weibull growth", fixed(4), make_weibull_growth},
      {"two-exponentials", "two decays", fixed(4), make_two_exponentials},
      {"three-exponentials", "three decays that hardly differ", fixed(6), make_three_exponentials},
      {"chwirut", "a decay over a linear function", fixed(3), make_chwirut},
      {"rational", "a quotient of quadratics", fixed(5), make_rational},
      {"mobility", "a quotient of cubics", fixed(7), make_mobility},
      {"two-peaks", "two bells on a decaying ground", fixed(8), make_two_peaks},
      {"transmittance", "a bell of unit mass", fixed(3), make_transmittance},
      {"spectrum", "Lorentz lines", {.low = 3, .usual = 9, .high = 300, .per = 3}, make_spectrum},
      {"power-law", "a power and a constant", fixed(3), make_power_law},
      {"bennett", "a power of a shifted time", fixed(3), make_bennett},
      {"thermistor", "an exponential of a hyperbola", fixed(3), make_thermistor},
      {"arrhenius", "a rate of reaction and temperature", fixed(2), make_arrhenius},
      {"damped-oscillation", "a damped oscillation", fixed(5), make_damped_oscillation},
      {"seasons", "a known and an unknown cycle", fixed(6), make_seasons},
      {"quantum-defect", "an arctangent of a hyperbola", fixed(4), make_quantum_defect},
      {"pharmacokinetics", "absorption and elimination of a drug", fixed(3), make_pharmacokinetics},
      {"epidemic", "an epidemic of three compartments", fixed(3), make_epidemic},
  };
  return variants;
}

}  // namespace loa::origin
