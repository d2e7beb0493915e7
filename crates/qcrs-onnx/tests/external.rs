//! Does any engine open a file that the hash does not cover?

mod common;

use common::*;
use qcrs_onnx::EngineChoice;
use std::path::Path;

/// Refused before any of them is asked, so that none need be installed.
const ENGINES: [EngineChoice; 4] =
    [EngineChoice::Auto, EngineChoice::Cnn, EngineChoice::Rten, EngineChoice::Ort];

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
    let model = Tiny::new().model().write_buf().unwrap();
    let graph = [content(&model, 7), &field(5, tensor)].concat();
    let opset = field(8, content(&model, 8));
    [vec![1 << 3, 8], field(7, &graph), opset].concat()
}

fn refused(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("model.onnx");
    std::fs::write(&path, bytes).unwrap();
    let errors = ENGINES.map(|engine| match load_with(&path, SHAPE, engine) {
        Ok(model) => panic!("{} took it", model.engine),
        Err(error) => error.to_string(),
    });
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

/// Parts of a model that readers merge, or of which they take one.
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
    for (target, says) in [("/dev/zero", "outside the model's folder"), ("gone", "No such file")] {
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
