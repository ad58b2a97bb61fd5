#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/sheet/shell_system.h>
#include <hackle/linalg/elimination_order.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 64;
constexpr double kPositivityStep = 0.25;
constexpr double kLeastGain = 1e-3;  // of the elastic energy that an iteration must gain at the last

int32_t vertexTotal(const SheetMesh& mesh) { return static_cast<int32_t>(mesh.vertexCount()); }
int32_t edgeTotal(const SheetMesh& mesh) { return static_cast<int32_t>(mesh.edgeCount()); }

/// The corners and the edges of a face as numbers of one list: vertices first, then edges.
std::array<int32_t, 6> entities(const SheetMesh& mesh, size_t f) {
  const Triangle& t = mesh.faces[f];
  const std::array<int32_t, 3>& e = mesh.edges[f];
  const int32_t n = vertexTotal(mesh);
  return {t[0], t[1], t[2], n + e[0], n + e[1], n + e[2]};
}

/// Turns of an edge's director count about the edge from its smaller to its larger vertex.
Vec3 edgeSigns(const Triangle& t) {
  return {t[1] < t[2] ? 1.0 : -1.0, t[2] < t[0] ? 1.0 : -1.0, t[0] < t[1] ? 1.0 : -1.0};
}

ShellState stateOf(const SheetMesh& mesh, size_t f) {
  const Triangle& t = mesh.faces[f];
  const std::array<int32_t, 3>& e = mesh.edges[f];
  return {{mesh.x[t[0]], mesh.x[t[1]], mesh.x[t[2]]},
          {mesh.director[e[0]], mesh.director[e[1]], mesh.director[e[2]]}};
}

/// Ends of each edge, smaller vertex first.
std::vector<Edge> edgeEnds(const SheetMesh& mesh) {
  std::vector<Edge> ends(mesh.edgeCount(), Edge{-1, -1});
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k) {
      const int32_t a = mesh.faces[f][(k + 1) % 3], b = mesh.faces[f][(k + 2) % 3];
      ends[mesh.edges[f][k]] = {std::min(a, b), std::max(a, b)};
    }
  return ends;
}

/// The order in which the unknowns are eliminated: those of vertices first, three each, then those of edges.
std::vector<int32_t> unknownsInOrder(const SheetMesh& mesh, const std::vector<ShellSpring>& springs,
                                     const std::vector<Edge>& contacts) {
  const int32_t vertices = vertexTotal(mesh);
  std::vector<Vec3> places = mesh.rest;
  places.resize(mesh.vertexCount() + mesh.edgeCount(), Vec3::Zero());
  std::vector<CoupledUnknowns> coupled;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    coupled.push_back(entities(mesh, f));
    for (int k = 0; k < 3; ++k)
      places[vertices + mesh.edges[f][k]] =
          0.5 * (mesh.rest[mesh.faces[f][(k + 1) % 3]] + mesh.rest[mesh.faces[f][(k + 2) % 3]]);
  }
  for (const ShellSpring& s : springs)
    if (s.b >= 0) coupled.push_back({s.a, s.b, -1, -1, -1, -1});
  for (const Edge& e : contacts) coupled.push_back({e[0], e[1], -1, -1, -1, -1});
  std::vector<int32_t> order;
  for (const int32_t entity : eliminationOrder(places, coupled)) {
    if (entity >= vertices)
      order.push_back(2 * vertices + entity);
    else
      order.insert(order.end(), {3 * entity, 3 * entity + 1, 3 * entity + 2});
  }
  return order;
}

}  // namespace

void moveSheet(SheetMesh& mesh, const std::vector<Vec3>& x) {
  const std::vector<Edge> ends = edgeEnds(mesh);
  for (size_t e = 0; e < ends.size(); ++e) {
    if (ends[e][0] < 0) continue;
    const Vec3 from = (mesh.x[ends[e][1]] - mesh.x[ends[e][0]]).normalized();
    const Vec3 to = (x[ends[e][1]] - x[ends[e][0]]).normalized();
    const Vec3 d = parallelTransport(mesh.director[e], from, to);
    mesh.director[e] = (d - to.dot(d) * to).normalized();
  }
  mesh.x = x;
}

void ShellSystem::makeElements(const SheetMesh& mesh, Context& context) {
  if (mElementsValid && mElements.size() == mesh.faceCount()) return;
  const std::vector<Vec3> turns = restTurns(mesh);
  mElements.resize(mesh.faceCount());
  parallelFor(context, mesh.faceCount(), kGrain,
              [&](size_t f) { mElements[f] = makeShellFace(mesh, static_cast<int32_t>(f), turns[f]); });
  mHalfThickness.assign(mesh.vertexCount(), 0.0);
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (const int32_t p : mesh.faces[f])
      mHalfThickness[p] = std::max(mHalfThickness[p], 0.5 * mElements[f].thickness);
  mElementsValid = true;
  mFactorValid = false;
}

void ShellSystem::makePattern(const SheetMesh& mesh, const std::vector<ShellSpring>& springs,
                              Context& context) {
  if (mPatternValid) return;
  const int32_t vertices = vertexTotal(mesh), total = vertices + edgeTotal(mesh);
  // Entities with a larger number that share a face, for each entity.
  std::vector<std::vector<int32_t>> later(total);
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const std::array<int32_t, 6> e = entities(mesh, f);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (e[j] > e[i]) later[e[i]].push_back(e[j]);
  }
  for (const ShellSpring& s : springs)
    if (s.b >= 0) later[std::min(s.a, s.b)].push_back(std::max(s.a, s.b));
  for (const Edge& e : mCoupled) later[std::min(e[0], e[1])].push_back(std::max(e[0], e[1]));
  const auto width = [&](int32_t entity) { return entity < vertices ? 3 : 1; };
  const auto first = [&](int32_t entity) {
    return entity < vertices ? 3 * entity : 3 * vertices + (entity - vertices);
  };
  mUnknowns = static_cast<size_t>(3 * vertices + edgeTotal(mesh));

  // Columns: the entity's own rows from the diagonal down, then those of the later ones. `prefix` is where a
  // later entity's rows begin in the first column of the entity.
  std::vector<std::vector<int32_t>> prefix(total);
  std::vector<int32_t> outer(mUnknowns + 1, 0), inner;
  for (int32_t c = 0; c < total; ++c) {
    std::vector<int32_t>& list = later[c];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    int32_t at = width(c);
    for (const int32_t r : list) {
      prefix[c].push_back(at);
      at += width(r);
    }
    for (int32_t q = 0; q < width(c); ++q) {
      for (int32_t p = q; p < width(c); ++p) inner.push_back(first(c) + p);
      for (const int32_t r : list)
        for (int32_t p = 0; p < width(r); ++p) inner.push_back(first(r) + p);
      outer[first(c) + q + 1] = static_cast<int32_t>(inner.size());
    }
  }
  mPrefix.resize(mesh.faceCount());
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const std::array<int32_t, 6> e = entities(mesh, f);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        mPrefix[f][i][j] = 0;  // row entity i, column entity j
        if (e[i] <= e[j]) continue;
        const std::vector<int32_t>& list = later[e[j]];
        const auto found = std::lower_bound(list.begin(), list.end(), e[i]);
        mPrefix[f][i][j] = prefix[e[j]][static_cast<size_t>(found - list.begin())];
      }
  }
  mSpringPrefix.clear();
  for (const ShellSpring& s : springs) {
    if (s.b < 0) continue;
    const std::vector<int32_t>& list = later[std::min(s.a, s.b)];
    const auto found = std::lower_bound(list.begin(), list.end(), std::max(s.a, s.b));
    mSpringPrefix.push_back(prefix[std::min(s.a, s.b)][static_cast<size_t>(found - list.begin())]);
  }
  const auto n = static_cast<Eigen::Index>(mUnknowns);
  const std::vector<double> zeros(inner.size(), 0.0);
  mMatrix = Eigen::Map<const SparseMatrix>(n, n, static_cast<Eigen::Index>(inner.size()), outer.data(),
                                           inner.data(), zeros.data());
  mFactor.analyse(mMatrix, unknownsInOrder(mesh, springs, mCoupled), context);
  mPatternValid = true;
  mFactorValid = false;
}

double ShellSystem::evaluate(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                             const std::vector<double>& mass, Eigen::VectorXd& gradient, Context& context) {
  const double viscosity = std::isfinite(dt) ? mMaterial.damping / dt : 0.0;
  mResponses.resize(mesh.faceCount());
  parallelFor(context, mesh.faceCount(), kGrain, [&](size_t f) {
    evaluateShell(mElements[f], mMaterial, viscosity, stateOf(mesh, f), edgeSigns(mesh.faces[f]),
                  ShellOrder::Gradient, mResponses[f]);
  });
  const int32_t vertices = vertexTotal(mesh);
  gradient.setZero(static_cast<Eigen::Index>(mUnknowns));
  double potential = 0;
  mElastic = mDamped = 0;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const ShellResponse& r = mResponses[f];
    mElastic += r.energy;
    potential += r.potential;
    for (int i = 0; i < 3; ++i) {
      gradient.segment<3>(3 * mesh.faces[f][i]) += r.gradient.segment<3>(3 * i);
      gradient[3 * vertices + mesh.edges[f][i]] += r.gradient[9 + i];
    }
  }
  mDamped = 2 * (potential - mElastic);
  for (const ShellSpring& s : loads.springs) {
    const Vec3 pull = mesh.x[s.a] - (s.b >= 0 ? mesh.x[s.b] : s.place);
    potential += 0.5 * s.stiffness * pull.squaredNorm();
    gradient.segment<3>(3 * s.a) += s.stiffness * pull;
    if (s.b >= 0) gradient.segment<3>(3 * s.b) -= s.stiffness * pull;
  }
  if (loads.pressure != 0)
    for (size_t f = 0; f < mesh.faceCount(); ++f) {
      const Triangle& t = mesh.faces[f];
      const Vec3 area =
          0.5 * (mesh.xBefore[t[1]] - mesh.xBefore[t[0]]).cross(mesh.xBefore[t[2]] - mesh.xBefore[t[0]]);
      for (const int32_t p : t) {
        const Vec3 force = loads.pressure / 3 * area;
        potential -= force.dot(mesh.x[p]);
        gradient.segment<3>(3 * p) -= force;
      }
    }
  for (int32_t p = 0; p < vertices; ++p) {
    auto g = gradient.segment<3>(3 * p);
    const Vec3 off = mesh.x[p] - mesh.inertial[p];
    potential += mass[p] * (0.5 * inertia * off.squaredNorm() - loads.gravity.dot(mesh.x[p]));
    g += mass[p] * (inertia * off - loads.gravity);
    if (!loads.force.empty()) {
      potential -= loads.force[p].dot(mesh.x[p]);
      g -= loads.force[p];
    }
    if (loads.obstacles.empty() || mFixed[3 * p]) continue;
    ContactResponse contact;
    for (size_t o = 0; o < loads.obstacles.size(); ++o)
      addContact(loads.obstacles[o], loads.contact, mHalfThickness[p], mesh.x[p], mesh.xBefore[p], dt,
                 mLagged[o * mesh.vertexCount() + static_cast<size_t>(p)], contact);
    potential += contact.energy;
    g += contact.gradient;
  }
  if (!mContact.empty()) potential += mContact.evaluate(mesh.x, gradient);
  return potential;
}

void ShellSystem::assemble(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                           const std::vector<double>& mass, ShellOrder order, Context& context) {
  const double viscosity = std::isfinite(dt) ? mMaterial.damping / dt : 0.0;
  parallelFor(context, mesh.faceCount(), kGrain, [&](size_t f) {
    evaluateShell(mElements[f], mMaterial, viscosity, stateOf(mesh, f), edgeSigns(mesh.faces[f]), order,
                  mResponses[f]);
  });
  double* values = mMatrix.valuePtr();
  const int32_t* outer = mMatrix.outerIndexPtr();
  std::fill(values, values + mMatrix.nonZeros(), 0.0);
  const int32_t vertices = vertexTotal(mesh);
  const int start[7] = {0, 3, 6, 9, 10, 11, 12};
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    const std::array<int32_t, 6> e = entities(mesh, f);
    const auto& H = mResponses[f].hessian;
    for (int j = 0; j < 6; ++j) {
      const int32_t column = e[j] < vertices ? 3 * e[j] : 3 * vertices + (e[j] - vertices);
      for (int i = 0; i < 6; ++i) {
        if (e[i] < e[j]) continue;
        for (int q = 0; q < start[j + 1] - start[j]; ++q) {
          const int32_t base = outer[column + q] - q + (i == j ? 0 : mPrefix[f][i][j]);
          for (int p = i == j ? q : 0; p < start[i + 1] - start[i]; ++p)
            values[base + p] += H(start[i] + p, start[j] + q);
        }
      }
    }
  }
  for (int32_t p = 0; p < vertices; ++p) {
    Mat3 block = mass[p] * inertia * Mat3::Identity();
    if (!loads.obstacles.empty() && !mFixed[3 * p]) {
      ContactResponse contact;
      for (size_t o = 0; o < loads.obstacles.size(); ++o)
        addContact(loads.obstacles[o], loads.contact, mHalfThickness[p], mesh.x[p], mesh.xBefore[p], dt,
                   mLagged[o * mesh.vertexCount() + static_cast<size_t>(p)], contact);
      block += contact.hessian;
    }
    for (int q = 0; q < 3; ++q)
      for (int r = q; r < 3; ++r) values[outer[3 * p + q] + r - q] += block(r, q);
  }
  size_t between = 0;
  for (const ShellSpring& s : loads.springs) {
    const int32_t offset = s.b >= 0 ? mSpringPrefix.at(between++) : 0;
    for (int q = 0; q < 3; ++q) {
      values[outer[3 * s.a + q]] += s.stiffness;
      if (s.b < 0) continue;
      values[outer[3 * s.b + q]] += s.stiffness;
      values[outer[3 * std::min(s.a, s.b) + q] + offset] -= s.stiffness;
    }
  }
  addContactBlocks(mesh);
  // Held unknowns: their rows and columns go, a diagonal entry of the usual size stays.
  const int32_t* inner = mMatrix.innerIndexPtr();
  for (int32_t c = 0; c < static_cast<int32_t>(mUnknowns); ++c)
    for (int32_t at = outer[c]; at < outer[c + 1]; ++at)
      if (mFixed[c] || mFixed[inner[at]]) values[at] = inner[at] == c ? std::max(values[at], 1e-30) : 0.0;
}

void ShellSystem::addContactBlocks(const SheetMesh& mesh) {
  if (mContact.empty()) return;
  double* values = mMatrix.valuePtr();
  const int32_t *outer = mMatrix.outerIndexPtr(), *inner = mMatrix.innerIndexPtr();
  for (const SheetContact::Block& block : mContact.blocks(mesh.x))
    for (int q = 0; q < 3; ++q) {
      const int32_t column = 3 * block.b + q;
      for (int p = block.a == block.b ? q : 0; p < 3; ++p) {
        const int32_t* at =
            std::lower_bound(inner + outer[column], inner + outer[column + 1], 3 * block.a + p);
        values[at - inner] += block.value(p, q);
      }
    }
}

double ShellSystem::freePart(const std::vector<Vec3>& x, const Eigen::VectorXd& step, const ShellLoads& loads,
                             Context& context) {
  double part = 1.0;
  for (const SheetObstacle& o : loads.obstacles)
    for (size_t p = 0; p < x.size(); ++p)
      if (!mFixed[3 * p])
        part *= freeMove(o, mHalfThickness[p], x[p],
                         part * Vec3(step.segment<3>(3 * static_cast<Eigen::Index>(p))));
  if (mContact.empty()) return part;
  std::vector<Vec3> move(x.size());
  for (size_t p = 0; p < x.size(); ++p) move[p] = part * step.segment<3>(3 * static_cast<Eigen::Index>(p));
  mContact.collect(x, move, {}, context);
  return part * mContact.freeMove(x, move, {});
}

bool ShellSystem::factorise(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                            const std::vector<double>& mass, Context& context) {
  // The exact matrix converges best, but where the sheet buckles it is not positive. Its positive part always
  // is (but for unconstrained motions), and far too stiff; so the first mixture of both that is positive is
  // taken, beginning a little below that of the last time.
  const auto attempt = [&](std::optional<double> floor) {
    try {
      mFactor.setPivotFloor(floor);
      mFactor.factorise(mMatrix, context);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Failed) throw;
      return false;
    }
  };
  const auto done = [&] {
    mFactorValid = true;
    mFactorInertia = inertia;
    return true;
  };
  if (!mContact.empty()) {
    const std::vector<Edge> active = mContact.couplings(mesh.x, 1.0);
    if (!std::includes(mCoupled.begin(), mCoupled.end(), active.begin(), active.end())) {
      mCoupled = mContact.couplings(mesh.x, 2.0);
      mPatternValid = false;
      makePattern(mesh, loads.springs, context);
    }
  }
  assemble(mesh, loads, inertia, dt, mass, ShellOrder::Hessian, context);
  mPositivity = std::max(0.0, mPositivity - kPositivityStep);
  if (mPositivity == 0 && attempt(std::nullopt)) return done();
  const Eigen::Index entries = mMatrix.nonZeros();
  const Eigen::VectorXd exact = Eigen::Map<const Eigen::VectorXd>(mMatrix.valuePtr(), entries);
  assemble(mesh, loads, inertia, dt, mass, ShellOrder::PositiveHessian, context);
  const Eigen::VectorXd positive = Eigen::Map<const Eigen::VectorXd>(mMatrix.valuePtr(), entries);
  for (mPositivity = std::max(mPositivity, kPositivityStep); mPositivity < 1;
       mPositivity += kPositivityStep) {
    Eigen::Map<Eigen::VectorXd>(mMatrix.valuePtr(), entries) =
        (1 - mPositivity) * exact + mPositivity * positive;
    if (attempt(std::nullopt)) return done();
  }
  Eigen::Map<Eigen::VectorXd>(mMatrix.valuePtr(), entries) = positive;
  return attempt(1e-15) && done();
}

void ShellSystem::lagFriction(const SheetMesh& mesh, const ShellLoads& loads, double dt) {
  if (!mContact.empty()) mContact.lagFriction(mesh.x, mesh.xBefore, dt);
  mLagged.assign(loads.obstacles.size() * mesh.vertexCount(), 0.0);
  for (size_t o = 0; o < loads.obstacles.size(); ++o)
    for (size_t p = 0; p < mesh.vertexCount() && loads.obstacles[o].shape != SheetObstacle::Shape::Mesh;
         ++p) {
      Vec3 away;
      const double reach = loads.contact.reach + mHalfThickness[p];
      const double d = obstacleDistance(loads.obstacles[o], mesh.x[p], 2 * reach, away) - mHalfThickness[p];
      if (d < loads.contact.reach && d > 0)
        mLagged[o * mesh.vertexCount() + p] = barrierForce(loads.contact, d);
    }
}

const std::vector<ShellFace>& ShellSystem::elements(const SheetMesh& mesh, Context& context) {
  makeElements(mesh, context);
  return mElements;
}

std::vector<ShellStrain> ShellSystem::strains(const SheetMesh& mesh, Context& context) {
  makeElements(mesh, context);
  std::vector<ShellStrain> result(mesh.faceCount());
  parallelFor(context, mesh.faceCount(), kGrain,
              [&](size_t f) { result[f] = shellStrain(mElements[f], stateOf(mesh, f)); });
  return result;
}

double ShellSystem::energy(const SheetMesh& mesh, Context& context) {
  makeElements(mesh, context);
  double sum = 0;
  ShellResponse r;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    evaluateShell(mElements[f], mMaterial, 0.0, stateOf(mesh, f), edgeSigns(mesh.faces[f]),
                  ShellOrder::Energy, r);
    sum += r.energy;
  }
  return sum;
}

/// A configuration that a step of Newton's method may go to, from a base.
struct ShellSystem::Trial {
  std::vector<Vec3> x, director;  // base
  std::vector<Edge> ends;

  Trial(const SheetMesh& mesh) : x(mesh.x), director(mesh.director), ends(edgeEnds(mesh)) {}
  void rebase(const SheetMesh& mesh) {
    x = mesh.x;
    director = mesh.director;
  }
  void move(SheetMesh& mesh, const Eigen::VectorXd& step, double part) const {
    const size_t n = x.size();
    for (size_t p = 0; p < n; ++p)
      mesh.x[p] = x[p] + part * step.segment<3>(3 * static_cast<Eigen::Index>(p));
    for (size_t e = 0; e < director.size(); ++e) {
      if (ends[e][0] < 0) continue;
      const Vec3 from = (x[ends[e][1]] - x[ends[e][0]]).normalized();
      const Vec3 to = (mesh.x[ends[e][1]] - mesh.x[ends[e][0]]).normalized();
      const double turn = part * step[static_cast<Eigen::Index>(3 * n + e)];
      Vec3 d = parallelTransport(director[e], from, to);
      d = std::cos(turn) * d + std::sin(turn) * to.cross(d);
      mesh.director[e] = (d - to.dot(d) * to).normalized();
    }
  }
};

ShellSolveResult ShellSystem::solve(SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                                    const ShellSolveOptions& options, Context& context) {
  makeElements(mesh, context);
  makePattern(mesh, loads.springs, context);
  const std::vector<double> mass = mesh.masses(mMaterial.density);
  const size_t vertices = mesh.vertexCount();
  mFixed.assign(mUnknowns, 0);
  for (size_t p = 0; p < vertices && !loads.held.empty(); ++p)
    if (loads.held[p]) mFixed[3 * p] = mFixed[3 * p + 1] = mFixed[3 * p + 2] = 1;
  for (size_t e = 0; e < mesh.edgeCount() && !loads.clamped.empty(); ++e)
    mFixed[3 * vertices + e] = loads.clamped[e];
  // A factor of nearly the same step still serves.
  const bool near = inertia > 0 ? std::abs(mFactorInertia / inertia - 1) < 0.05 : mFactorInertia == 0;
  if (!near || !options.reuseFactor) mFactorValid = false;

  ShellSolveResult result;
  mContact.collect(mesh.x, std::vector<Vec3>(vertices, Vec3::Zero()), {}, context);
  lagFriction(mesh, loads, dt);
  Eigen::VectorXd gradient, step, next;
  double potential = evaluate(mesh, loads, inertia, dt, mass, gradient, context);
  Trial trial(mesh);
  double lastMove = std::numeric_limits<double>::infinity();
  for (; result.iterations < options.iterations && !result.converged; ++result.iterations) {
    context.checkCancel();
    // A sheet that wrinkles creeps from one saddle to the next: with a patience of some iterations the rest
    // is left to the steps to come.
    const double allowed =
        std::min(options.energyTolerance * std::pow(10.0, result.iterations / options.patience), kLeastGain);
    const bool fresh = !mFactorValid;
    if (fresh) {
      ++result.factorisations;
      if (!factorise(mesh, loads, inertia, dt, mass, context)) return result;
    }
    for (size_t i = 0; i < mUnknowns; ++i)
      if (mFixed[i]) gradient[static_cast<Eigen::Index>(i)] = 0;
    step = -gradient;
    mFactor.solve(step, context);
    const double slope = step.dot(gradient);
    if (!(slope <= 0) || !step.allFinite()) {
      if (!fresh) {
        mFactorValid = false;
        continue;
      }
      return result;
    }
    // Stay outside of obstacles, then halve until the potential falls.
    double part = freePart(trial.x, step, loads, context);
    if (!mContact.empty()) potential = evaluate(mesh, loads, inertia, dt, mass, next, context);
    double value = 0;
    const double slack = 1e-13 * std::abs(potential) + 1e-300;
    int halvings = 0;
    for (;; part *= 0.5, ++halvings) {
      trial.move(mesh, step, part);
      value = evaluate(mesh, loads, inertia, dt, mass, next, context);
      if (value <= potential + 1e-4 * part * slope + slack) break;
      if (halvings > 40) break;
    }
    const double move = step.head(static_cast<Eigen::Index>(3 * vertices)).cwiseAbs().maxCoeff();
    if (halvings > 40) {  // rounding: no step lowers the potential any more
      trial.move(mesh, step, 0.0);
      evaluate(mesh, loads, inertia, dt, mass, gradient, context);
      if (!fresh) {
        mFactorValid = false;
        continue;
      }
      result.converged = move < 1e3 * options.tolerance;
      break;
    }
    trial.rebase(mesh);
    gradient = next;
    potential = value;
    result.lastMove = move;
    result.converged = move <= options.tolerance || -slope <= allowed * mElastic;
    // An old factor that does not shrink the error to a fifth is not worth keeping; nor is one after a curb.
    if (part < 1.0 || move > 0.2 * lastMove) mFactorValid = false;
    lastMove = move;
    if (!result.converged && (!loads.obstacles.empty() || !mContact.empty())) {
      lagFriction(mesh, loads, dt);
      potential = evaluate(mesh, loads, inertia, dt, mass, gradient, context);
    }
  }
  result.elastic = mElastic;
  result.damped = mDamped;
  result.reaction.assign(vertices, Vec3::Zero());
  for (size_t p = 0; p < vertices; ++p)
    if (mFixed[3 * p]) result.reaction[p] = gradient.segment<3>(3 * static_cast<Eigen::Index>(p));
  result.obstacleForce.assign(loads.obstacles.size(), Vec3::Zero());
  if (!mContact.empty()) result.obstacleForce = mContact.pushes(mesh.x, loads.obstacles.size());
  for (size_t o = 0; o < loads.obstacles.size(); ++o)
    for (size_t p = 0; p < vertices; ++p) {
      if (mFixed[3 * p]) continue;
      ContactResponse contact;
      addContact(loads.obstacles[o], loads.contact, mHalfThickness[p], mesh.x[p], mesh.xBefore[p], dt,
                 mLagged[o * vertices + p], contact);
      result.obstacleForce[o] += contact.gradient;
    }
  return result;
}

}  // namespace hackle
