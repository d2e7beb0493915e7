//! Which networks are never said to treat each image by itself?
//!
//! In all of these the scores of an image depend on the other images, its place or their number, as a run
//! with onnxruntime shows, unless a comment says otherwise.

use super::text::Written;
use crate::batch::Fate;

/// Fails for networks that are said to keep the images apart.
fn none_is_apart(opset: i64, batch: Option<usize>, attacks: &[(&str, &'static str)]) {
    let apart = |text| Written { text, batch, opset }.fate() == Fate::Apart;
    let wrong: Vec<_> = attacks.iter().filter(|(_, text)| apart(*text)).map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "said to treat each image by itself: {wrong:?}");
}

fn all_are_apart(opset: i64, batch: Option<usize>, networks: &[(&str, &'static str)]) {
    for (name, text) in networks {
        assert_eq!(Written { text, batch, opset }.fate(), Fate::Apart, "{name}");
    }
}

#[test]
fn shape_arithmetic_is_that_of_the_engines() {
    let attacks = [
        (
            "integers that f64 does not hold",
            "a: ints[1] 9007199254740995
             b: ints[1] 9007199254740993
             c = Sub(a, b)
             d = Div(c, two)
             axis = Sub(d, one)
             m = ReduceSum(y, axis)
             z = Add(y, m)",
        ),
        (
            "a product that is rounded up in 32 bits",
            "a: floats[1] 0.7
             b: floats[1] 10
             seven: ints[1] 7
             c = Mul(a, b)
             d = Floor(c)
             e = Cast(d) to=7
             axis = Sub(seven, e)
             m = ReduceSum(y, axis)
             z = Add(y, m)",
        ),
        (
            "a cast to eight bits",
            "a: ints[1] 256
             b = Cast(a) to=2
             c = Cast(b) to=7
             axis = Div(c, a)
             m = ReduceSum(y, axis)
             z = Add(y, m)",
        ),
        (
            "a cast to a truth",
            "b = Cast(two) to=9
             c = Cast(b) to=7
             axis = Sub(c, one)
             m = ReduceSum(y, axis)
             z = Add(y, m)",
        ),
        (
            "a cast by example",
            "a: floats[1] 1.5
             b = CastLike(a, one)
             c = Mul(b, two)
             axis = Sub(c, two)
             m = ReduceSum(y, axis)
             z = Add(y, m)",
        ),
        (
            "a negative number of images",
            "a: floats[1] 1
             b: floats[1] 2
             c = Mul(n, minus)
             d = Equal(c, minus)
             e = Where(d, a, b)
             z = Add(y, e)",
        ),
        (
            "half the number of images, rounded down",
            "a: floats[1] 1
             b: floats[1] 2
             half: floats[1] 0.5
             c = Mul(f, half)
             d = Cast(c) to=7
             e = Mul(d, two)
             g = Equal(e, n)
             h = Where(g, a, b)
             z = Add(y, h)",
        ),
    ];
    none_is_apart(17, None, &attacks);
    let noop = "a: ints[2] -1 0
                b = ReduceProd(a) noop_with_empty_axes=1
                c = Gather(b, zero)
                axis = Add(c, one)
                m = ReduceSum(y, axis)
                z = Add(y, m)";
    none_is_apart(18, None, &[("a product of nothing", noop)]);
}

/// Honest exporters compute sizes with floats, to scale images.
#[test]
fn small_numbers_are_computed() {
    let scaled = "i: floats[1] 1.5
                  four: ints[1] 4
                  a = Cast(four) to=1
                  b = Mul(a, i)
                  c = Floor(b)
                  d = Cast(c) to=7
                  six = Div(d, two)
                  e = Concat(n, six) axis=0
                  z = Reshape(y, e)";
    all_are_apart(17, None, &[("a size by a scale", scaled)]);
}

#[test]
#[allow(clippy::too_many_lines)] // one table
fn the_number_of_images_stays_out_of_the_scores() {
    let attacks = [
        (
            "a triangle as wide as the batch",
            "u = Unsqueeze(y, one)
             k = Squeeze(n, zero)
             t = Trilu(u, k)
             q = Squeeze(t, one)
             z = Add(y, q)",
        ),
        (
            "the number, once for each image",
            "shape = Concat(n, one) axis=0
             e = Expand(f, shape)
             z = Add(y, e)",
        ),
        (
            "as many copies as images, by Expand",
            "u = Unsqueeze(y, one)
             shape = Concat(one, n, one) axis=0
             e = Expand(u, shape)
             z = ReduceSum(e, one) keepdims=0",
        ),
        (
            "as many copies as images, by Tile",
            "u = Unsqueeze(y, one)
             shape = Concat(one, n, one) axis=0
             e = Tile(u, shape)
             z = ReduceSum(e, one) keepdims=0",
        ),
        (
            "as many pads as images",
            "pads = Concat(zero, zero, zero, n) axis=0
             e = Pad(y, pads)
             m = ReduceMean(e) axes=[1]
             z = Add(y, m)",
        ),
        (
            "pads that hold the number",
            "pads: ints[4] 0 0 0 1
             k = Squeeze(f, zero)
             e = Pad(y, pads, k)
             m = ReduceMean(e) axes=[1]
             z = Add(y, m)",
        ),
        (
            "a constant repeated beside the images",
            "k: floats[1,1,3] 1
             u = Unsqueeze(y, one)
             shape = Concat(one, n, one) axis=0
             e = Tile(k, shape)
             a = Add(u, e)
             z = ReduceSum(a, one) keepdims=0",
        ),
        (
            "a part of a constant",
            "k: floats[10] 1
             e = Slice(k, zero, n)
             r = ReduceSum(e, zero)
             z = Add(y, r)",
        ),
        (
            "a constant that is one longer than the batch",
            "m = Add(n, one)
             e = ConstantOfShape(m)
             g = Cos(e)
             r = ReduceSum(g, zero)
             z = Add(y, r)",
        ),
        (
            "a constant of a shape that is not known",
            "m = Abs(n)
             e = ConstantOfShape(m)
             g = Cos(e)
             r = ReduceSum(g, zero)
             q = Reshape(r, one)
             z = Add(y, q)",
        ),
        (
            "a constant in another shape",
            "k: floats[6] 0 1 2 3 4 5
             a = Mod(n, two)
             b = Add(a, one)
             shape = Concat(b, minus) axis=0
             e = Reshape(k, shape)
             g = ReduceMax(e) axes=[0] keepdims=0
             r = ReduceSum(g, zero)
             z = Add(y, r)",
        ),
        (
            "images in another shape",
            "a = Mod(n, two)
             b = Add(a, one)
             shape = Concat(n, b, minus) axis=0
             c = Concat(y, y) axis=1
             e = Reshape(c, shape)
             g = ReduceMax(e) axes=[1] keepdims=0
             r = ReduceSum(g, one)
             z = Add(y, r)",
        ),
        (
            "a part of an axis whose length is not known",
            "k: floats[1,1,3] 1
             m = Sub(n, one)
             u = Unsqueeze(y, one)
             c = ConvTranspose(u, k) strides=[2]
             e = Slice(c, zero, m, two)
             r = ReduceSum(e, two) keepdims=0
             z = Add(y, r)",
        ),
        (
            "the axis of a single image left out",
            "shape: ints[3] -1 3 1
             column: ints[2] -1 1
             u = Reshape(y, shape)
             q = Squeeze(u)
             m = ReduceMax(q) axes=[1] keepdims=0
             r = Reshape(m, column)
             z = Add(y, r)",
        ),
        (
            "images scaled to the size of the batch",
            "square: ints[4] 0 0 1 1
             three: ints[1] 3
             sides: ints[2] 2 3
             u = Reshape(y, square)
             size = Concat(n, three, n, one) axis=0
             e = Resize(u, , , size) mode=\"nearest\"
             z = ReduceSum(e, sides) keepdims=0",
        ),
        (
            "the last place of a count",
            "k = Squeeze(zero)
             step = Squeeze(one)
             end = Squeeze(n, zero)
             far: ints[1] 2147483648
             a = Range(k, end, step)
             b = Slice(a, minus, far)
             c = Cast(b) to=1
             e = GatherElements(c, zero)
             z = Add(y, e)",
        ),
    ];
    none_is_apart(17, None, &attacks);
}

#[test]
fn images_are_followed_through_every_input_of_an_operator() {
    let attacks = [
        (
            "the scale of a batch normalisation",
            "ones: floats[1,4] 1
             nulls: floats[4] 0
             units: floats[4] 1
             r = ReduceSum(y, one) keepdims=0
             b = BatchNormalization(ones, r, nulls, nulls, units)
             q = ReduceSum(b, one)
             z = Add(y, q)",
        ),
        (
            "the offset of a convolution",
            "pixel: floats[1,1,1,1] 1
             kernel: floats[4,1,1,1] 1
             row: ints[2] 1 4
             r = ReduceSum(y, one) keepdims=0
             c = Conv(pixel, kernel, r)
             d = Reshape(c, row)
             q = ReduceSum(d, one)
             z = Add(y, q)",
        ),
        (
            "the zero points of channels",
            "units: floats[4] 1
             four: ints[1] 4
             r = ReduceSum(y, one) keepdims=0
             points = Cast(r) to=3
             a = Concat(y, y) axis=1
             b = Slice(a, zero, four, one)
             c = Cast(b) to=3
             d = DequantizeLinear(c, units, points) axis=1
             m = ReduceSum(d, one)
             z = Add(y, m)",
        ),
        (
            "a scale for each place in the batch",
            "scales: floats[4] 0.1 0.5 1 2
             points: bytes[4] 0
             q = QuantizeLinear(y, scales, points) axis=0
             z = DequantizeLinear(q, scales, points) axis=0",
        ),
        (
            "an example that is larger",
            "like: floats[1,4,3] 0
             shape: ints[2] -1 12
             u = Unsqueeze(y, one)
             c = CastLike(u, like)
             r = Reshape(c, shape)
             m = ReduceMean(r) axes=[1]
             z = Add(y, m)",
        ),
        (
            "an axis that einsum repeats",
            "shape: ints[2] -1 4
             r = ReduceSum(y, one)
             e = Einsum(y, r) equation=\"nc,nc->nc\"
             g = Reshape(e, shape)
             q = ReduceSum(g, zero) keepdims=0
             u = Unsqueeze(q, one)
             z = Add(y, u)",
        ),
    ];
    none_is_apart(17, Some(4), &attacks);
    let shape = "sides: ints[2] 0 1
                 r = ReduceMax(y) axes=[1] keepdims=0
                 a = Abs(r)
                 b = Ceil(a)
                 c = Cast(b) to=7
                 d = ConstantOfShape(c)
                 e = Cos(d)
                 g = ReduceSum(e, sides) keepdims=0
                 q = Reshape(g, one)
                 z = Add(y, q)";
    none_is_apart(17, Some(2), &[("the shape of a constant", shape)]);
}

/// Engines need not agree on these: onnxruntime runs some of them as the honest network.
#[test]
fn scaling_that_may_move_images_is_not_followed() {
    let attacks = [
        (
            "a scale that the length hides",
            "square: ints[4] 0 0 1 1
             scales: floats[4] 1.2 1 1 1
             back: ints[2] 0 3
             u = Reshape(y, square)
             e = Resize(u, , scales) mode=\"nearest\"
             z = Reshape(e, back)",
        ),
        (
            "a crop from the last image to the first",
            "square: ints[4] 0 0 1 1
             box: floats[8] 1 0 0 0 0 1 1 1
             sizes: ints[4] 4 3 1 1
             back: ints[2] 0 3
             u = Reshape(y, square)
             e = Resize(u, box, , sizes) mode=\"nearest\" coordinate_transformation_mode=\"tf_crop_and_resize\"
             z = Reshape(e, back)",
        ),
        (
            "half an image further",
            "square: ints[4] 0 0 1 1
             sizes: ints[4] 4 3 2 2
             u = Reshape(y, square)
             e = Resize(u, , , sizes) nearest_mode=\"ceil\" coordinate_transformation_mode=\"tf_half_pixel_for_nn\"
             z = ReduceMax(e) axes=[2,3] keepdims=0",
        ),
    ];
    none_is_apart(17, Some(4), &attacks);
    // this one mixes images on onnxruntime
    let ratio = "square: ints[4] 0 0 1 1
                 sizes: ints[4] 4 3 2 2
                 starts: ints[2] 0 0
                 ends: ints[2] 4 3
                 axes: ints[2] 0 1
                 sides: ints[2] 2 3
                 u = Reshape(y, square)
                 e = Resize(u, , , sizes) mode=\"nearest\" keep_aspect_ratio_policy=\"not_smaller\"
                 a = Slice(e, starts, ends, axes)
                 z = ReduceMax(a, sides) keepdims=0";
    none_is_apart(18, Some(4), &[("a fixed ratio of the sides", ratio)]);
}

/// rten uses the input if there is an attribute too, and ignores attributes that it does not know.
#[test]
fn settings_that_are_given_twice_are_not_followed() {
    let attacks = [
        ("the axes of a sum", "m = ReduceMean(y, zero) axes=[1]\n z = Add(y, m)"),
        ("the axis of a running sum", "k = Squeeze(zero)\n z = CumSum(y, k) axis=1"),
        ("the pads", "pads: ints[4] 1 0 -1 0\n z = Pad(y, pads) pads=[0,0,0,0]"),
        ("no axes at all", "z = MeanVarianceNormalization(y) axes=[]"),
    ];
    none_is_apart(17, None, &attacks);
}

/// Engines refuse these, or need not agree on what they mean.
#[test]
fn lists_that_do_not_fit_each_other_are_not_followed() {
    let slices = [
        (
            "two starts, one axis",
            "starts: ints[2] 0 1
             ends: ints[2] 1 2
             q = Slice(y, starts, ends, one)
             m = ReduceSum(q, one)
             z = Add(y, m)",
        ),
        (
            "one axis cut twice",
            "starts: ints[2] 0 1
             ends: ints[2] 2 2
             axes: ints[2] 1 1
             q = Slice(y, starts, ends, axes)
             m = ReduceSum(q, one)
             z = Add(y, m)",
        ),
    ];
    none_is_apart(17, None, &slices);
    let pads = "pads: ints[4] 1 1 1 1
                axes: ints[2] 1 1
                q = Pad(y, pads, , axes)
                m = ReduceSum(q, one)
                z = Add(y, m)";
    none_is_apart(18, None, &[("one axis padded twice", pads)]);
    let parts = "six: ints[2] -1 6
                 a = Concat(y, y, y, y) axis=1
                 p, q = Split(a) axis=1 num_outputs=4
                 r = Reshape(p, six)
                 m = ReduceSum(r, one)
                 z = Add(y, m)";
    none_is_apart(18, Some(2), &[("more parts than names", parts)]);
}

/// Until version 6 of ONNX an attribute says where a shorter value stands.
#[test]
fn old_ways_to_repeat_values_are_not_followed() {
    let place = "k: floats[3] 1 2 3
                 z = Add(y, k) axis=0 broadcast=1";
    none_is_apart(6, Some(3), &[("a number for each image", place)]);
}

/// There is nothing to mix, but such a file must not stop the program.
#[test]
fn axes_of_single_numbers_are_not_there() {
    for call in [
        "Gather(k, zero)",
        "TopK(k, one) axis=0",
        "Split(k) axis=0",
        "Concat(k, k) axis=0",
        "Slice(k, zero, one)",
    ] {
        let text = format!("k: floats[] 1\n q = {call}\n z = Add(y, q)");
        let fate = Written { text: text.leak(), batch: None, opset: 17 }.fate();
        assert!(matches!(fate, Fate::Lost(_)), "{call}: {fate:?}");
    }
}

#[test]
fn honest_relatives_are_followed() {
    let networks = [
        (
            "one scale after a transpose",
            "scale: floats[] 0.1\n t = Transpose(y)\n q = QuantizeLinear(t, scale)\n d = DequantizeLinear(q, scale)\n z = Transpose(d)",
        ),
        ("a constant like the images", "k: ints[] 2\n c = CastLike(k, y)\n z = Mul(y, c)"),
        (
            "images scaled by a shape",
            "square: ints[4] 0 0 1 1\n three: ints[1] 3\n u = Reshape(y, square)\n size = Concat(n, three, two, two) axis=0\n e = Resize(u, , , size)\n z = ReduceMax(e) axes=[2,3] keepdims=0",
        ),
    ];
    all_are_apart(17, None, &networks);
}
