// Takes the grain of random light samples out of a picture, without blurring edges.
#pragma once

#include <hackle/core/context.h>
#include <hackle/render/tracer.h>

namespace hackle {

/// Smooths light and shade inside a part of the picture by an edge-avoiding wavelet filter [Dammertz10],
/// steered by the variance of the samples as in [Schied17]: neighbours count while they lie on the same
/// plane, face the same way, and differ by no more than noise explains. Colours and coverage stay as they
/// are.
void denoise(LayeredImage& image, const PixelRect& cell, Context& context);

}  // namespace hackle
