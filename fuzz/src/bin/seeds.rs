//! Writes the good models as the fuzzer's first inputs.

fn main() -> std::io::Result<()> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    std::fs::create_dir_all(corpus.join("bytes"))?;
    std::fs::create_dir_all(corpus.join("edits"))?;
    for (at, (name, model)) in qcrs_fuzz::models().iter().enumerate() {
        let bytes = model.write_buf().map_err(std::io::Error::other)?;
        std::fs::write(corpus.join("bytes").join(format!("{name}.onnx")), bytes)?;
        std::fs::write(corpus.join("edits").join(name), [at as u8])?;
    }
    Ok(())
}
