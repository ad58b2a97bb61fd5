#include <hackle/ops/impact_table.h>

namespace hackle {

namespace {

ParameterTable<Striker> strikerTable() {
  ParameterTable<Striker> table;
  table.add(&Striker::mass, "mass", "Striker's Mass")
      .unit("kg")
      .hard(1e-12, 1e12)
      .soft(0.01, 100)
      .fromAttribute("mass")
      .help("Of what hits the solid. Not given: immovable, like the ground.");
  table.add(&Striker::radius, "radius", "Striker's Radius")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.001, 10)
      .fromAttribute("radius")
      .help("Of what hits the solid, at the contact. Not given: flat.");
  return table;
}

}  // namespace

ParameterTable<Impact> impactTable() {
  ParameterTable<Impact> table;
  table.add(&Impact::position, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help(
          "Where it hits; the nearest place of the surface is taken. A place far from the surface is "
          "refused.");
  table.add(&Impact::direction, "dir", "Direction")
      .unit("none")
      .soft(-1, 1)
      .fromAttribute("dir")
      .help("In which the solid is pushed; any length.");
  table.add(&Impact::impulse, "impulse", "Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .fromAttribute("impulse")
      .help("Momentum that the impact gives to the solid: 0.5 kg that is stopped from 4 m/s gives 2.");
  table.add(&Impact::speed, "speed", "Speed")
      .unit("m/s")
      .hard(1e-9, 1e6)
      .soft(0.1, 100)
      .fromAttribute("speed")
      .help("Of approach. Not given: that of an elastic impact with this impulse.");
  table.include(&Impact::striker, strikerTable());
  return table;
}

Port impactPort() {
  return {"impacts", "Impacts",
          "Points of impact, with dir, impulse, speed, mass, radius where they have them.",
          PortType::Geometry, true};
}

}  // namespace hackle
