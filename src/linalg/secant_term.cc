#include "linalg/secant_term.h"

namespace loa {

void make_secant_term(const SecantPair& pair, Eigen::Ref<Vector> u, Eigen::Ref<Vector> z) {
  const double delta_g_r = pair.delta_g.dot(pair.d) - pair.delta_g.dot(pair.B_delta_g);
  z = pair.y / pair.delta_g.dot(pair.y);
  u = pair.d - pair.B_delta_g - (0.5 * delta_g_r) * z;
}

void make_secant_term(const SecantPair& pair, SecantTerm& term) {
  term.u.resize(pair.d.size());
  term.z.resize(pair.d.size());
  make_secant_term(pair, term.u, term.z);
}

void secant_term_pullback(const SecantPair& pair, const SecantTerm& term, const SecantTerm& d_term,
                          SecantPairAdjoint& adjoint) {
  const double delta_g_y = pair.delta_g.dot(pair.y);
  const double delta_g_r = pair.delta_g.dot(pair.d) - pair.delta_g.dot(pair.B_delta_g);

  // u = r - e/2 z with e = <dg,r>:  r' = u',  e' = -<z,u'>/2,  z' gains -e/2 u'.
  const double d_delta_g_r = -0.5 * term.z.dot(d_term.u);
  adjoint.d = d_term.u + d_delta_g_r * pair.delta_g;  // r' = d' = -(B dg)'
  adjoint.B_delta_g = -adjoint.d;
  adjoint.delta_g = d_delta_g_r * (pair.d - pair.B_delta_g);

  // z = y/c with c = <dg,y>:  y' = z'/c + c' dg,  c' = -<z,z'>/c,  dg' gains c' y.
  adjoint.y = d_term.z - (0.5 * delta_g_r) * d_term.u;  // z'
  const double d_delta_g_y = -term.z.dot(adjoint.y) / delta_g_y;
  adjoint.y = adjoint.y / delta_g_y + d_delta_g_y * pair.delta_g;
  adjoint.delta_g += d_delta_g_y * pair.y;
}

void add_term_product(const SecantTerm& term, const Vector& v, Vector& out) {
  const double z_v = term.z.dot(v), u_v = term.u.dot(v);
  out += z_v * term.u + u_v * term.z;
}

void term_product_pullback(const SecantTerm& term, const Vector& v, const Vector& d_out, SecantTerm& d_term,
                           Vector& d_v) {
  const double z_v = term.z.dot(v), u_v = term.u.dot(v);
  const double z_out = term.z.dot(d_out), u_out = term.u.dot(d_out);
  d_term.u += z_v * d_out + z_out * v;
  d_term.z += u_v * d_out + u_out * v;
  d_v += z_out * term.u + u_out * term.z;  // the term is symmetric
}

}  // namespace loa
