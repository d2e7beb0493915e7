//! Does `qcrs bench --peer` speak with a Python program, and say what is missing?
#![cfg(unix)]

mod common;

use common::{Bench, Ran};
use std::os::unix::fs::PermissionsExt;

/// Answers as our program in a Python with PyTorch would: 100 images/s per image of a batch.
const FAKE: &str = r#"#!/bin/sh
[ "$1" = -c ] && [ "$3" = model.onnx ] && [ "$4" = 3,32,32 ] && [ "$5" = 0.25 ] || exit 9
echo '{"name": "PyTorch 9.9", "threads": 2}'
while read -r command first rest; do
    case $command in
    rate) echo "{\"rate\": ${first}00}" ;;
    classes)
        [ "$(wc -c < "$first")" = 6291456 ] || exit 9
        printf '{"classes": ['
        i=1; while [ $i -lt 512 ]; do printf '77, '; i=$((i + 1)); done
        echo '77]}' ;;
    image)
        [ "$(wc -c < "$first")" = 12288 ] || exit 9
        echo '{"images": 1}' ;;
    votes)
        [ "${rest#* }" = 1000 ] || exit 9
        echo "{\"votes\": {\"1\": ${rest% *}}}" ;;
    esac
done
"#;

fn with_python(bench: &Bench, script: &str, options: &str) -> Ran {
    let python = bench.path("python");
    bench.write("python", script);
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    bench.run(&format!("bench --peer --python ./python --model model.onnx {options}"))
}

const COMPARE: &str = "--compare --seconds 0.01 --rounds 2 --images 64";
const CERTIFICATES: &str = "--certificates --data data.bin --preset cifar10-0.50 --inputs 2 --n 300";

/// One test, because a file that was just written cannot be started while another thread starts a process.
#[test]
fn pytorch_is_asked_and_what_it_lacks_is_said() {
    let bench = Bench::new();
    let ran = with_python(&bench, FAKE, &format!("{COMPARE} --format json --figure rates.svg"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let answer = ran.json();
    let whole = &answer["with_noise_and_votes"];
    let rates: Vec<_> = whole["lines"].as_array().unwrap()[1..].iter().collect();
    assert_eq!(rates.len(), 2, "its best batch is one of those shown: {whole}");
    assert_eq!(rates[0]["name"], "PyTorch 9.9 eager, batches of 400");
    assert_eq!(
        (rates[0]["images_per_second"].as_f64(), rates[0]["ratio"].as_f64()),
        (Some(40000.0), Some(0.4))
    );
    assert_eq!(
        (rates[1]["images_per_second"].as_f64(), rates[1]["ratio"].as_f64()),
        (Some(100000.0), Some(1.0))
    );
    assert_eq!((whole["same_answer"].as_u64(), whole["compared"].as_u64()), (Some(0), Some(512)));
    let figure = bench.read("rates.svg");
    assert!(figure.contains("batches of 1000: 100000, 1.00×") && figure.contains("qcrs-cnn"), "{figure}");

    let slow = FAKE.replace("${first}00", "$((900 - first % 128))");
    let text = with_python(&bench, &slow, COMPARE).out;
    assert!(text.contains("batches of 128") && text.contains("same answer for 0 of 512"), "{text}");

    let say = |line: &str| format!("#!/bin/sh\necho '{line}'\n");
    with_python(&bench, &say(r#"{"missing": "torch"}"#), COMPARE)
        .fails(1, &["no module torch", "torch, onnx and numpy"]);
    with_python(&bench, &say(r#"{"unknown": "the operator Erf"}"#), COMPARE)
        .fails(1, &["does not do the operator Erf"]);
    with_python(&bench, "#!/bin/sh\nexit 1\n", COMPARE).fails(1, &["PyTorch ended without an answer"]);
    with_python(&bench, &say("hello"), COMPARE).fails(1, &[r#"PyTorch answered "hello\n""#]);
    bench
        .run("bench --compare --peer --python ./none --model model.onnx")
        .fails(1, &["./none", "--python takes"]);
    bench.run("bench --peer --model model.onnx").fails(1, &["--compare", "--certificates"]);

    whole_certificates_are_timed(&bench);
}

fn whole_certificates_are_timed(bench: &Bench) {
    let ran = with_python(bench, FAKE, &format!("{CERTIFICATES} --format json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let answer = ran.json();
    let cases = answer["cases"].as_array().unwrap();
    let case =
        |name: &str| cases.iter().find(|case| case["name"].as_str().unwrap().starts_with(name)).unwrap();
    assert_eq!(cases[0]["name"], "QCRS, PyTorch 9.9 in batches of 1000");
    // 7,500 of the search, n0 and n
    assert_eq!(cases[0]["passes_per_input"].as_f64(), Some(7900.0));
    assert_eq!(case("QCRS, qcrs-cnn")["passes_per_input"].as_f64(), Some(7900.0));
    assert!(case("PROBE, λ = 1e-6, qcrs-cnn")["passes_per_input"].as_f64().unwrap() < 2600.0);
    with_python(bench, FAKE, CERTIFICATES).says(&["2 images in turn, n = 300", "1.0×", "rten"]);
    let alone = with_python(bench, FAKE, &format!("{CERTIFICATES} --engine cnn"));
    assert!(alone.out.contains("qcrs-cnn") && !alone.out.contains("rten"), "{}", alone.out);

    let forgetful = FAKE.replace("${rest% *}", "7");
    with_python(bench, &forgetful, CERTIFICATES).code_is(1, r#"PyTorch answered {"votes":{"1":7}}"#);
    bench.run("bench --certificates --model model.onnx --data data.bin").fails(2, &["--preset"]);
    bench
        .run("bench --certificates --model model.onnx --data data.bin --preset none")
        .fails(2, &["none", "cifar10-0.50"]);
}
