// The ratio of a circle's circumference to its diameter.
#pragma once

namespace hackle {

constexpr double kPi = 3.14159265358979323846;

}  // namespace hackle
