//! Writes the good models as the fuzzer's first inputs.

use prost::Message;

fn main() -> std::io::Result<()> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in ["bytes", "edits", "inspect"] {
        std::fs::create_dir_all(corpus.join(target))?;
    }
    for (at, (name, model)) in qcrs_fuzz::models().iter().enumerate() {
        let bytes = model.write_buf().map_err(std::io::Error::other)?;
        std::fs::write(corpus.join("bytes").join(format!("{name}.onnx")), bytes)?;
        std::fs::write(corpus.join("edits").join(name), [at as u8])?;
    }
    for (name, model) in [("nested", qcrs_fuzz::nested()), ("apart", qcrs_fuzz::apart())] {
        std::fs::write(corpus.join("inspect").join(format!("{name}.onnx")), model.encode_to_vec())?;
    }
    Ok(())
}
