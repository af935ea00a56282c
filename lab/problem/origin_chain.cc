// chain:NAME, separable, banded, arrow-shaped and sparse functions of any number of variables, in the forms that are
// common in tests of large-scale methods; some constants are our own.
//
//   Ph. L. Toint, "Test problems for partially separable optimization and results for the routine PSPMIN", Namur (1983)
//   A. R. Conn, N. I. M. Gould and Ph. L. Toint, "Testing a class of methods for solving minimization problems with
//   simple bounds on the variables", Math. Comp. 50 (1988), 399-430
//   L. Luksan, C. Matonoha and J. Vlcek, "Modified CUTE problems for sparse unconstrained optimization" (2010)
#include <cmath>

#include "problem/origin.h"

namespace loa::origin {
namespace {

template <class T>
T cube(const T& t) {
  return t * square(t);
}
template <class T>
T fourth(const T& t) {
  return square(square(t));
}

// sum_i i (x_i - 1)^4: separable and singular at the minimizer.
Made make_quartic(Index n, Draw&) {
  return made(Vector::Constant(n, 2.0), [n](const auto* x, auto*) {
    return total(0, n, [x](Index i) { return real(i + 1) * fourth(x[i] - 1.0); });
  });
}

// (sum_i i x_i^2)^2, a power of a quadratic.
Made make_power(Index n, Draw&) {
  return made(Vector::Ones(n), [n](const auto* x, auto*) {
    return square(total(0, n, [=](Index i) { return (real(i + 1) / real(n)) * square(x[i]); }));
  });
}

// (x_1 - 1)^2 + sum_i i (2 x_i - x_{i-1})^2, a quadratic.
Made make_tridiagonal(Index n, Draw&) {
  return made(Vector::Ones(n), [n](const auto* x, auto*) {
    return square(x[0] - 1.0) + total(1, n, [x](Index i) { return real(i + 1) * square(2.0 * x[i] - x[i - 1]); });
  });
}

// sum_i ((3 - 2 x_i) x_i - x_{i-1} - 2 x_{i+1} + 1)^2.
Made make_broyden_tridiagonal(Index n, Draw&) {
  return made(Vector::Constant(n, -1.0), [n]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      const T before = i > 0 ? x[i - 1] : T(0.0), after = i + 1 < n ? x[i + 1] : T(0.0);
      return square((3.0 - 2.0 * x[i]) * x[i] - before - 2.0 * after + 1.0);
    });
  });
}

// sum_i (x_i (2 + 5 x_i^2) + 1 - sum of x_j (1 + x_j) over j from i - 5 to i + 1 but i)^2.
Made make_broyden_banded(Index n, Draw&) {
  return made(Vector::Constant(n, -1.0), [n]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      T r = x[i] * (2.0 + 5.0 * square(x[i])) + 1.0;
      for (Index j = std::max<Index>(0, i - 5); j < std::min(n, i + 2); ++j) {
        if (j != i) r -= x[j] * (1.0 + x[j]);
      }
      return square(r);
    });
  });
}

// sum_i (x_i^2 + x_{i+1}^2)^2 - 4 x_i + 3.
Made make_engval(Index n, Draw&) {
  return made(Vector::Constant(n, 2.0), [n](const auto* x, auto*) {
    return total(0, n - 1, [x](Index i) { return square(square(x[i]) + square(x[i + 1])) - 4.0 * x[i] + 3.0; });
  });
}

// sum_i 4 (x_i^2 - x_1)^2 + (x_i - 1)^2: all variables meet the first.
Made make_liarwhd(Index n, Draw&) {
  return made(Vector::Constant(n, 4.0), [n](const auto* x, auto*) {
    return total(0, n, [x](Index i) { return 4.0 * square(square(x[i]) - x[0]) + square(x[i] - 1.0); });
  });
}

// sum_i (x_i^2 + x_n^2)^2 - 4 x_i + 3: the Hessian is an arrow.
Made make_arrowhead(Index n, Draw&) {
  return made(Vector::Ones(n), [n](const auto* x, auto*) {
    return total(0, n - 1, [=](Index i) { return square(square(x[i]) + square(x[n - 1])) - 4.0 * x[i] + 3.0; });
  });
}

// (x_1 - 1)^2 + 100 sum_i (x_1 - x_i^2)^2.
Made make_nondia(Index n, Draw&) {
  return made(Vector::Constant(n, -1.0), [n](const auto* x, auto*) {
    return square(x[0] - 1.0) + total(1, n, [x](Index i) { return 100.0 * square(x[0] - square(x[i - 1])); });
  });
}

// sum_i cos(s_i^2 x_i^2 - s_{i+1} x_{i+1}/2), s from 1 to e^condition.
Made cosines(Index n, double condition) {
  const Vector s = vector_of(n, [=](Index i) { return std::exp(condition * real(i) / real(n - 1)); });
  return made(s.cwiseInverse(), [=](const auto* x, auto*) {
    return total(0, n - 1, [&](Index i) { return cos(square(s[i] * x[i]) - 0.5 * (s[i + 1] * x[i + 1])); });
  });
}
Made make_cosine(Index n, Draw&) { return cosines(n, 0.0); }
Made make_scaled_cosine(Index n, Draw&) { return cosines(n, 3.0); }

// (x_1 - 1)^4 + (x_n^2 - x_1^2)^2 + sum_i (sin(x_i - x_n) - x_1^2 + x_i^2)^2.
Made make_sinquad(Index n, Draw&) {
  return made(Vector::Constant(n, 0.1), [n](const auto* x, auto*) {
    return fourth(x[0] - 1.0) + square(square(x[n - 1]) - square(x[0])) +
           total(1, n - 1, [=](Index i) { return square(sin(x[i] - x[n - 1]) - square(x[0]) + square(x[i])); });
  });
}

// Chained Cragg and Levy: sum over even blocks of (e^a - b)^4 + 100 (b - c)^6 + tan^4(c - d) + a^8 + (d - 1)^2.
Made make_cragg_levy(Index n, Draw&) {
  return made(vector_of(n, [](Index i) { return i == 0 ? 1.0 : 2.0; }), [n]<class T>(const T* x, T*) {
    return total(0, n / 2 - 1, [=](Index k) {
      const T *a = x + 2 * k, gap = a[2] - a[3];
      return fourth(exp(a[0]) - a[1]) + 100.0 * square(cube(a[1] - a[2])) + fourth(sin(gap) / cos(gap)) +
             square(fourth(a[0])) + square(a[3] - 1.0);
    });
  });
}

// Powell's singular function in overlapping blocks.
Made make_singular(Index n, Draw&) {
  const double start[] = {3.0, -1.0, 0.0, 1.0};
  return made(vector_of(n, [&](Index i) { return start[i % 4]; }), [n]<class T>(const T* x, T*) {
    return total(0, n / 2 - 1, [=](Index k) {
      const T* a = x + 2 * k;
      return square(a[0] + 10.0 * a[1]) + 5.0 * square(a[2] - a[3]) + fourth(a[1] - 2.0 * a[2]) +
             10.0 * fourth(a[0] - a[3]);
    });
  });
}

// Wood's function in overlapping blocks.
Made make_wood(Index n, Draw&) {
  return made(vector_of(n, [](Index i) { return i % 2 == 0 ? -3.0 : -1.0; }), [n]<class T>(const T* x, T*) {
    return total(0, n / 2 - 1, [=](Index k) {
      const T* a = x + 2 * k;
      return 100.0 * square(a[1] - square(a[0])) + square(1.0 - a[0]) + 90.0 * square(a[3] - square(a[2])) +
             square(1.0 - a[2]) + 10.0 * square(a[1] + a[3] - 2.0) + 0.1 * square(a[1] - a[3]);
    });
  });
}

// 100 sum_i (x_{i+1} - x_i + 1 - x_i^2)^2, Fletcher.
Made make_fletcher(Index n, Draw&) {
  return made(Vector::Zero(n), [n](const auto* x, auto*) {
    return total(0, n - 1, [x](Index i) { return 100.0 * square(x[i + 1] - x[i] + 1.0 - square(x[i])); });
  });
}

// Freudenstein and Roth's function, chained.
Made make_freudenstein_roth(Index n, Draw&) {
  return made(vector_of(n, [](Index i) { return i == 0   ? 0.5
                                                : i == 1 ? -2.0
                                                         : 0.0; }), [n]<class T>(const T* x, T*) {
    return total(0, n - 1, [x](Index i) {
      const T &a = x[i], &b = x[i + 1];
      return square(a - 13.0 + ((5.0 - b) * b - 2.0) * b) + square(a - 29.0 + ((b + 1.0) * b - 14.0) * b);
    });
  });
}

// sum_i (x_i - 2)^4 + (x_i x_{i+1} - 2 x_{i+1})^2 + (x_{i+1} + 1)^2, Li's extended Dennis and Schnabel.
Made make_dennis_schnabel(Index n, Draw&) {
  return made(Vector::Zero(n), [n](const auto* x, auto*) {
    return total(0, n - 1, [x](Index i) {
      return fourth(x[i] - 2.0) + square((x[i] - 2.0) * x[i + 1]) + square(x[i + 1] + 1.0);
    });
  });
}

// sum_i e^{x_i + 3 x_{i+1} - 0.1} + e^{x_i - 3 x_{i+1} - 0.1} + e^{-x_i - 0.1}.
Made make_exponential(Index n, Draw&) {
  return made(Vector::Constant(n, 0.5), [n](const auto* x, auto*) {
    return total(0, n - 1, [x](Index i) {
      return exp(x[i] + 3.0 * x[i + 1] - 0.1) + exp(x[i] - 3.0 * x[i + 1] - 0.1) + exp(-x[i] - 0.1);
    });
  });
}

// sum_i (c + x_{i+2}^2) (2 - exp(-(x_i - x_{i+1})^2/(0.1 + x_{i+2}^2))), Toint's Gaussian.
Made make_toint_gaussian(Index n, Draw&) {
  return made(Vector::Constant(n, 3.0), [n]<class T>(const T* x, T*) {
    return total(0, n - 2, [=](Index i) {
      const T last2 = square(x[i + 2]);
      return (10.0 / real(n + 2) + last2) * (2.0 - exp(-square(x[i] - x[i + 1]) / (0.1 + last2)));
    });
  });
}

// Schmidt and Vetters: quotients, sines and bells of three neighbours.
Made make_schmidt_vetters(Index n, Draw&) {
  return made(Vector::Constant(n, 0.5), [n]<class T>(const T* x, T*) {
    return total(0, n - 2, [x](Index i) {
      const T &a = x[i], &b = x[i + 1], &c = x[i + 2];
      return -1.0 / (1.0 + square(a - b)) - sin(1.5707963267948966 * b + 0.5 * c) - exp(-square((a + c) / b - 2.0));
    });
  });
}

// sum_i (x_i + x_j + x_k)^2 + 4 cos(x_i + x_j + x_k), j and k far from i: sparse, not banded.
Made make_nonconvex_sparse(Index n, Draw&) {
  return made(vector_of(n, [=](Index i) { return real(i + 1) / real(n); }), [n]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      const T sum = x[i] + x[(3 * i + 1) % n] + x[(7 * i + 4) % n];
      return square(sum) + 4.0 * cos(sum) + 1e-3 * square(x[i]);
    });
  });
}

// sum_i i/n (x_i^2 + x_j^2 + x_k^2)^2: sparse and singular at 0.
Made make_sparse_quartic(Index n, Draw&) {
  return made(Vector::Constant(n, 0.5), [n](const auto* x, auto*) {
    return total(0, n, [=](Index i) {
      return (real(i + 1) / real(n)) * square(square(x[i]) + square(x[(2 * i) % n]) + square(x[(5 * i + 2) % n]));
    });
  });
}

// sum_i q_i^4 - 20 q_i^2 - 0.1 q_i, q_i = x_i + ... + x_{i+5}: many minima, nearly singular valleys.
Made make_curly(Index n, Draw&) {
  return made(vector_of(n, [=](Index i) { return 1e-4 * real(i + 1) / real(n + 1); }), [n]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      const T q = total(i, std::min(n, i + 6), [x](Index j) { return x[j] + 0.0; });
      return fourth(q) - 20.0 * square(q) - 0.1 * q;
    });
  });
}

// Discrete boundary values: sum_i (2 x_i - x_{i-1} - x_{i+1} + h^2 (x_i + t_i + 1)^3/2)^2.
Made make_boundary_value(Index n, Draw&) {
  const double h = 1.0 / real(n + 1);
  const auto time = [h](Index i) { return h * real(i + 1); };
  return made(vector_of(n, [=](Index i) { return time(i) * (time(i) - 1.0); }), [=]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      const T before = i > 0 ? x[i - 1] : T(0.0), after = i + 1 < n ? x[i + 1] : T(0.0);
      return square((2.0 * x[i] - before - after) / h + (0.5 * h) * cube(x[i] + (time(i) + 1.0)));
    });
  });
}

// Dixon and Maany: 1 + sum (i/n)^2 x_i^2 + x_i^2 (x_{i+1} + x_{i+1}^2)^2/8 + x_i^2 x_{i+m}^4/8 + (i/n)^2 x_i
// x_{i+2m}/8, m = n/3.
Made make_dixon_maany(Index n, Draw&) {
  const Index m = n / 3;
  return made(Vector::Constant(n, 2.0), [=]<class T>(const T* x, T*) {
    return total(0, n, [=](Index i) {
      const double weight = square(real(i + 1) / real(n));
      T f = weight * square(x[i]);
      if (i + 1 < n) f += 0.125 * square(x[i] * (x[i + 1] + square(x[i + 1])));
      if (i + m < n) f += 0.125 * square(x[i] * square(x[i + m]));
      if (i + 2 * m < n) f += (0.125 * weight) * (x[i] * x[i + 2 * m]);
      return f;
    });
  });
}

// sum_i (e^{x_i} - x_i) i/10 after Raydan: separable and strictly convex.
Made make_raydan(Index n, Draw&) {
  return made(Vector::Ones(n), [n](const auto* x, auto*) {
    return total(0, n, [x](Index i) { return (0.1 * real(i + 1)) * (exp(x[i]) - x[i]); });
  });
}

constexpr Sizes kAny{.low = 4, .usual = 20, .high = 10000};
constexpr Sizes kEven{.low = 4, .usual = 20, .high = 10000, .per = 2};
constexpr Sizes kThirds{.low = 6, .usual = 21, .high = 9999, .per = 3};

}  // namespace

const std::vector<Variant>& chain_variants() {
  static const std::vector<Variant> variants = {
      {"quartic", "separable fourth powers with growing weights", kAny, make_quartic},
      {"power", "the square of a quadratic", kAny, make_power},
      {"tridiagonal", "a tridiagonal quadratic with growing weights", kAny, make_tridiagonal},
      {"broyden-tridiagonal", "Broyden's tridiagonal equations", kAny, make_broyden_tridiagonal},
      {"broyden-banded", "Broyden's banded equations", kAny, make_broyden_banded},
      {"engval", "quartics of neighbours", kAny, make_engval},
      {"liarwhd", "parabolas that meet in the first variable", kAny, make_liarwhd},
      {"arrowhead", "quartics that meet in the last variable", kAny, make_arrowhead},
      {"nondia", "steep parabolas that meet in the first variable", kAny, make_nondia},
      {"cosine", "cosines of neighbours", kAny, make_cosine},
      {"scaled-cosine", "cosines of neighbours, scales from 1 to 20", kAny, make_scaled_cosine},
      {"sinquad", "sines and squares", kAny, make_sinquad},
      {"cragg-levy", "chained Cragg and Levy, powers up to 8", kEven, make_cragg_levy},
      {"singular", "chained Powell, singular at the minimizer", kEven, make_singular},
      {"wood", "chained Wood", kEven, make_wood},
      {"fletcher", "a chain of curved valleys without damping", kAny, make_fletcher},
      {"freudenstein-roth", "chained Freudenstein and Roth", kAny, make_freudenstein_roth},
      {"dennis-schnabel", "quartics and products of neighbours", kAny, make_dennis_schnabel},
      {"exponential", "exponentials of neighbours", kAny, make_exponential},
      {"toint-gaussian", "bells whose width is a variable", kAny, make_toint_gaussian},
      {"schmidt-vetters", "quotients, sines and bells of neighbours", kAny, make_schmidt_vetters},
      {"nonconvex-sparse", "cosines of sums of distant variables", kAny, make_nonconvex_sparse},
      {"sparse-quartic", "quartics of distant variables", kAny, make_sparse_quartic},
      {"curly", "quartics of sums of six neighbours", kAny, make_curly},
      {"boundary-value", "squared residuals of a boundary value problem", kAny, make_boundary_value},
      {"dixon-maany", "products of variables a third of n apart", kThirds, make_dixon_maany},
      {"raydan", "separable exponentials with growing weights", kAny, make_raydan},
  };
  return variants;
}

}  // namespace loa::origin
