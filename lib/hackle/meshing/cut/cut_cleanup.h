// Removes what exact ties leave behind.
#pragma once

#include <hackle/core/context.h>
#include <hackle/meshing/cut/cut.h>

namespace hackle {

/// Where more cells meet than four, or the surface runs through a corner of the partition, a cut has several
/// vertices at one place, with edges and faces of no size between them. This makes them one, and drops faces
/// that lose their area by it, wherever the surface of every cell stays what it is: vertices within
/// `tolerance` (m) that edges join are a tree or a disc on each cell, and in one piece on each face. Faces
/// keep the corners that their attributes come from in Cut::origins.
void joinCoincidentVertices(Cut& cut, Context& context);

}  // namespace hackle
