//! Does any engine open a file that the hash does not cover?

mod common;

use common::*;
use qcrs_onnx::EngineChoice;
use rten_onnx::onnx::ModelProto;
use std::path::Path;

/// A tensor of one float, with these bytes about where its value lies.
fn tensor_at(place: &[u8]) -> Vec<u8> {
    let (dims, float) = ([1 << 3, 1], [2 << 3, 1]);
    [&dims[..], &float, &field(8, b"extra"), place].concat()
}

fn entry(key: &str, value: &str) -> Vec<u8> {
    field(13, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat())
}

fn location(code: u64) -> Vec<u8> {
    [vec![14 << 3], varint(code)].concat()
}

/// The usual model with this as one more constant.
fn with_constant(tensor: &[u8]) -> Vec<u8> {
    with_fields(&field(5, tensor), &[])
}

fn refused(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("model.onnx");
    std::fs::write(&path, bytes).unwrap();
    let errors = choices().map(|engine| match load_with(&path, SHAPE, engine) {
        Ok(model) => panic!("{} took it", model.engine),
        Err(error) => error.to_string(),
    });
    let errors: Vec<String> = errors.collect();
    errors.into_iter().next().unwrap()
}

/// Protobuf keeps 32 bits of a longer number and the last of two; other readers do not.
#[test]
fn a_place_that_readers_could_disagree_about_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("w.data"), [0; 4]).unwrap();
    let named = entry("location", "w.data");
    let (raw, ok) = (field(9, &[0; 4]), location(1));
    for (what, place) in [
        ("more than 32 bits", [named.clone(), location((1 << 32) + 1)].concat()),
        ("twice, the last unknown", [named.clone(), location(1), location(2)].concat()),
        ("twice, the last inside", [named.clone(), location(1), location(0)].concat()),
        ("an unknown place", [named.clone(), location(2)].concat()),
        ("a negative place", [named.clone(), location(u64::MAX)].concat()),
        ("as bytes", [named.clone(), field(14, &[1])].concat()),
        ("a file, but inside", [named.clone(), raw.clone()].concat()),
        ("a file, but inside in words", [named.clone(), raw.clone(), location(0)].concat()),
        ("two files", [named.clone(), entry("location", "v.data"), ok.clone()].concat()),
        ("a file and values", [named.clone(), raw.clone(), ok.clone()].concat()),
        ("no file", ok.clone()),
        ("a key of unknown meaning", [named.clone(), entry("basepath", "/etc"), ok.clone()].concat()),
        ("an offset with a sign", [named.clone(), entry("offset", "+0"), ok.clone()].concat()),
        ("an offset of another base", [named.clone(), entry("offset", "0x0"), ok.clone()].concat()),
        ("a length with a blank", [named.clone(), entry("length", " 4"), ok.clone()].concat()),
        ("a length that is negative", [named.clone(), entry("length", "-4"), ok.clone()].concat()),
        ("an address in memory", [entry("location", "*/_ORT_MEM_ADDR_/*"), ok.clone()].concat()),
        ("a field of unknown meaning", [raw.clone(), field(17, b"w.data")].concat()),
        ("values twice", [raw.clone(), field(9, &[1; 4])].concat()),
    ] {
        let error = refused(folder.path(), &with_constant(&tensor_at(&place)));
        assert!(error.contains("model.onnx"), "{what}: {error}");
    }
    // the same constant, well written
    for place in [raw, [named, ok].concat()] {
        let bytes = with_constant(&tensor_at(&place));
        let path = folder.path().join("model.onnx");
        std::fs::write(&path, bytes).unwrap();
        load_with(&path, SHAPE, EngineChoice::Cnn).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Parts of a model that some readers merge, and others take one of.
#[test]
fn a_model_that_readers_could_disagree_about_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = Tiny::new().model().write_buf().unwrap();
    let graph = content(&model, 7);
    let opset =
        |domain: &str, version: u8| field(8, &[field(1, domain.as_bytes()), vec![16, version]].concat());
    let node = content(graph, 1);
    for (what, bytes) in [
        ("two graphs", [model.clone(), field(7, &[])].concat()),
        ("two versions", [model.clone(), opset("", 9)].concat()),
        ("two versions under two names", [model.clone(), opset("ai.onnx", 9)].concat()),
        ("a node twice", [vec![8, 8], field(7, &[graph, &field(1, node)].concat()), opset("", 17)].concat()),
    ] {
        let error = refused(folder.path(), &bytes);
        assert!(error.contains("different networks"), "{what}: {error}");
    }
}

/// Makes sure that all of them are refused before an engine sees them.
fn all_refused(cases: &[(&str, Vec<u8>)]) {
    let taken = cases.iter().filter(|(_, bytes)| qcrs_onnx::read_strictly(bytes).is_ok());
    let taken: Vec<&str> = taken.map(|(what, _)| *what).collect();
    assert!(taken.is_empty(), "{taken:?}");
}

/// A number that is written with 65 bits; libraries drop the highest, or refuse the file.
const TOO_LONG: [u8; 10] = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];

fn number(field: u8, value: u64) -> Vec<u8> {
    [vec![field << 3], varint(value)].concat()
}

fn four_bytes(field: u8) -> Vec<u8> {
    [vec![field << 3 | 5], vec![0; 4]].concat()
}

/// Of a long number some readers keep the lower half, and what has another wire type some skip and some refuse.
#[test]
fn values_that_readers_could_disagree_about_are_refused() {
    let constant =
        |values: &[u8]| with_constant(&[&[1 << 3, 1, 2 << 3, 7][..], &field(8, b"extra"), values].concat());
    all_refused(&[
        ("a packed number of 65 bits", constant(&field(7, &TOO_LONG))),
        ("a small integer of 33 bits", constant(&number(5, (1 << 32) + 1))),
        ("a packed small integer of 33 bits", constant(&field(5, &varint((1 << 32) + 1)))),
        ("a text as a number", constant(&number(6, 1))),
        ("a double as a number", constant(&number(10, 1))),
        ("a double of four bytes", constant(&four_bytes(10))),
        ("a large integer as a float", constant(&four_bytes(11))),
        ("a packed large integer of 65 bits", constant(&field(11, &TOO_LONG))),
    ]);
}

/// The usual model with these fields in its graph and beside it.
fn with_fields(in_graph: &[u8], in_model: &[u8]) -> Vec<u8> {
    [in_its_graph(&Tiny::new().model(), in_graph), in_model.to_vec()].concat()
}

/// The model with these fields in its graph.
fn in_its_graph(model: &ModelProto, fields: &[u8]) -> Vec<u8> {
    let model = model.write_buf().unwrap();
    let graph = [content(&model, 7), fields].concat();
    [vec![1 << 3, 8], field(7, &graph), field(8, content(&model, 8))].concat()
}

/// The usual model with one more node, which has this attribute.
fn with_attribute(attribute: &[u8]) -> Vec<u8> {
    let attribute = [&field(1, b"value"), attribute].concat();
    let node = [field(2, b"more"), field(4, b"Constant"), field(5, &attribute)].concat();
    with_fields(&field(1, &node), &[])
}

/// ONNX gives an attribute one value, of the kind that its type says.
#[test]
fn an_attribute_that_readers_could_disagree_about_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tensor = |value: u8| [&[1 << 3, 1, 2 << 3, 1][..], &field(9, &[0, 0, value, 63])].concat();
    let (single, list) = (field(5, &tensor(0)), field(10, &tensor(128)));
    let kind = |code: u8| [&[20 << 3 | 0x80, 1][..], &[code]].concat();
    all_refused(&[
        (
            "a list of tensors before a tensor",
            with_attribute(&[list.clone(), single.clone(), kind(4)].concat()),
        ),
        ("a tensor and a list of them", with_attribute(&[single.clone(), list.clone()].concat())),
        ("a tensor and a number", with_attribute(&[single.clone(), number(3, 1)].concat())),
        ("a tensor that is said to be a number", with_attribute(&[single.clone(), kind(2)].concat())),
        ("a kind of unknown meaning", with_attribute(&[single.clone(), kind(99)].concat())),
        ("two kinds", with_attribute(&[single.clone(), kind(2), kind(4)].concat())),
        ("a text as a number", with_attribute(&number(9, 1))),
        ("a packed number of 65 bits", with_attribute(&field(8, &TOO_LONG))),
    ]);
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, with_attribute(&[single, kind(4)].concat())).unwrap();
    load_with(&path, SHAPE, EngineChoice::Rten).unwrap_or_else(|error| panic!("{error}"));
}

/// rten takes the mean over the axis in the tensor, which is the batch; the first of the list is the axis of the classes.
#[test]
fn a_list_of_tensors_cannot_hide_a_mean_over_the_batch() {
    let axis = |axis: u8| [&[1 << 3, 1, 2 << 3, 7][..], &field(7, &[axis])].concat();
    let value = [field(1, b"value"), field(10, &axis(1)), field(5, &axis(0))].concat();
    let constant = [field(2, b"axes"), field(4, b"Constant"), field(5, &value)].concat();
    let call = |operator: &[u8], inputs: [&[u8]; 2], output: &[u8]| {
        [field(1, inputs[0]), field(1, inputs[1]), field(2, output), field(4, operator)].concat()
    };
    let mean = call(b"ReduceMean", [b"y", b"axes"], b"mean");
    let difference = call(b"Sub", [b"y", b"mean"], b"z");
    let mut model = Tiny::new().model();
    graph(&mut model).output[0].name = Some("z".into());
    let nodes = [constant, mean, difference].map(|node| field(1, &node)).concat();
    let folder = tempfile::tempdir().unwrap();
    let error = refused(folder.path(), &in_its_graph(&model, &nodes));
    assert!(error.contains("values of two kinds"), "{error}");
}

/// Of two constants with one name onnxruntime takes the last, dense or sparse; other engines know no sparse ones.
#[test]
fn parts_of_a_graph_that_readers_could_disagree_about_are_refused() {
    let tensor = |name: &str| [&[1 << 3, 1, 2 << 3, 1][..], &field(8, name.as_bytes())].concat();
    let sparse = |name: &str| field(15, &field(1, &tensor(name)));
    let function = |fields: &[u8]| field(25, &[&field(1, b"own"), fields].concat());
    let default = [field(1, b"axis"), number(3, 1)].concat();
    let output = |dim: &[u8]| {
        let kind = field(1, &[&[1 << 3, 1][..], &field(2, &field(1, dim))].concat());
        field(11, &[field(1, b"more"), field(2, &kind)].concat())
    };
    all_refused(&[
        ("a sparse constant with the name of a dense one", with_fields(&sparse("kb"), &[])),
        ("two sparse constants", with_fields(&[sparse("s"), sparse("s")].concat(), &[])),
        ("sparse lengths as floats", with_fields(&field(15, &four_bytes(3)), &[])),
        ("two defaults", with_fields(&[], &function(&[field(11, &default), field(11, &default)].concat()))),
        ("an attribute's name as a number", with_fields(&[], &function(&number(6, 1)))),
        ("a version as a text", with_fields(&[], &field(1, b"8"))),
        ("a dimension whose name is no text", with_fields(&output(&field(2, &[0xFF])), &[])),
    ]);
}

/// The weights `k` in the file `name`, and what that file must hold.
fn apart(name: &str) -> (Vec<u8>, Vec<u8>) {
    let mut model = Tiny::new().model();
    let data = move_out(&mut graph(&mut model).initializer[0], name);
    (model.write_buf().unwrap(), data)
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_are_not_weights() {
    use std::os::unix::fs::symlink;
    let (outer, name) = (tempfile::tempdir().unwrap(), "w.data");
    let (bytes, data) = apart(name);
    let folder = outer.path().join("model");
    std::fs::create_dir(&folder).unwrap();
    let weights = folder.join(name);
    let secret = outer.path().join("secret");
    std::fs::write(&secret, &data).unwrap();
    symlink(&secret, &weights).unwrap();
    assert!(refused(&folder, &bytes).contains("outside the model's folder"));
    for (target, says) in
        [("/dev/zero", "outside the model's folder"), ("gone", "no such file: it holds the weights")]
    {
        std::fs::remove_file(&weights).unwrap();
        symlink(target, &weights).unwrap();
        let error = refused(&folder, &bytes);
        assert!(error.contains(says), "{target}: {error}");
    }
    std::fs::remove_file(&weights).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&weights).status().unwrap().success());
    assert!(refused(&folder, &bytes).contains("not a regular file"));
    // a store that keeps all files in one place and links to them
    let snapshot = outer.path().join("snapshot");
    std::fs::create_dir(&snapshot).unwrap();
    std::fs::write(outer.path().join("blob"), &bytes).unwrap();
    symlink("../blob", snapshot.join("model.onnx")).unwrap();
    symlink("../secret", snapshot.join(name)).unwrap();
    assert!(load_with(&snapshot.join("model.onnx"), SHAPE, EngineChoice::Cnn).is_ok());
}

/// A model in memory is the model in files: the same hash, the same scores, the same refusals.
#[test]
fn a_model_in_memory_is_that_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, data) = apart("w.data");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(folder.path().join("w.data"), &data).unwrap();
    let from_files = load_with(&path, SHAPE, EngineChoice::Cnn).unwrap();
    let options = qcrs_onnx::LoadOptions { engine: EngineChoice::Cnn, ..qcrs_onnx::LoadOptions::default() };
    let load = |external: &[(&str, &[u8])]| {
        let external = external.iter().map(|(name, data)| ((*name).to_owned(), data.to_vec())).collect();
        qcrs_onnx::load_bytes("mine", bytes.clone(), external, SHAPE, &options)
    };
    let in_memory = load(&[("w.data", &data)]).unwrap();
    assert_eq!(in_memory.blake3, from_files.blake3);
    let images = numbers(3, 4 * SHAPE.iter().product::<usize>());
    assert_eq!(scores(&in_memory, &images), scores(&from_files, &images));
    for (external, says) in [
        (&[][..], "mine: the weights in `w.data` are not given"),
        (&[("w.data", &data[..]), ("v.data", &[])][..], "mine: weights in `v.data` are given"),
        (&[("w.data", &data[..]), ("w.data", &[])][..], "mine: the weights in `w.data` are given twice"),
    ] {
        let error = load(external).err().expect(says).to_string();
        assert!(error.contains(says), "{error}");
    }
    let torn = qcrs_onnx::load_bytes("mine", b"hello".to_vec(), Vec::new(), SHAPE, &options);
    assert!(torn.err().unwrap().to_string().starts_with("mine: not an ONNX model"));
}
