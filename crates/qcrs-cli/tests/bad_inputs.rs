//! Everything that can be typed wrongly: each is told what, where and what to do, and nothing is written.

mod common;

use common::{Bench, CERTIFY, MODEL, absent, model};

/// Options, exit code and the words that the message must have.
type Case = (&'static str, i32, &'static [&'static str]);

const NUMBERS: &[Case] = &[
    ("--sigma 0", 2, &["sigma must be finite and positive, got 0"]),
    ("--sigma -1", 2, &["sigma must be finite and positive, got -1"]),
    ("--sigma nan", 2, &["sigma", "got NaN"]),
    ("--sigma inf", 2, &["sigma", "got inf"]),
    ("--sigma much", 2, &["--sigma: must be a number, got much"]),
    ("--alpha 0", 2, &["alpha must lie strictly between 0 and 1, got 0"]),
    ("--alpha 1", 2, &["alpha", "got 1"]),
    ("--alpha -0.1", 2, &["alpha", "got -0.1"]),
    ("--alpha nan", 2, &["alpha", "got NaN"]),
    ("--n 0", 2, &["--n: must be at least 1, got 0"]),
    ("--n0 0", 2, &["--n0: must be at least 1, got 0"]),
    ("--n 5000000000", 2, &["5000000000", "--n"]),
    ("--batch 0", 2, &["--batch"]),
    ("--threads 0", 2, &["--threads"]),
    ("--gradient-n 0", 2, &["at least one draw", "--gradient-n"]),
    ("--left 0.5 --right 0.2", 2, &["qcrs: --left: must be below the right end"]),
    ("--left 0", 2, &["sigma must be finite and positive"]),
    ("--epsilon 0", 2, &["--epsilon"]),
    ("--tau -1", 2, &["--tau"]),
    ("--tau 0.1 --epsilon_step 2", 2, &["--epsilon-step: is another way to give tau"]),
    ("--method insta-rs --starts 0.2,99", 2, &["--starts: an ascent from 99 begins outside the region ["]),
    ("--method grid --points 1", 2, &["2 to 65536 points, got 1", "--points"]),
    ("--method grid --winner max-of-certificates --n 400000000", 2, &["--n: 9600000000 draws"]),
    ("--gradient-n 400000000", 2, &["--gradient-n: ", "too many"]),
    ("--epsilon 1e-20", 2, &["--epsilon: 0.00000000000000000001 is less than the spacing"]),
    ("--method probe --lambda -1", 2, &["price of a draw", "--lambda"]),
    ("--method cohen --passes 500", 2, &["--passes: is for probe only, and the method is cohen"]),
    ("--method cohen --left 0.1", 2, &["--left: is for grid, qcrs,", "the method is cohen"]),
    ("--method probe --gradient-n 100", 2, &["--gradient-n: is for grid,", "the method is probe"]),
    ("--method ddrs --iterations 0", 2, &["at least one step", "--iterations"]),
    ("--method ddrs --rate 0", 2, &["--rate: must be positive, got 0"]),
    ("--method ddrs --clamp 0.5", 2, &["--clamp: must be between 0 and ½, got 0.5"]),
    ("--method ddrs --left 0.3", 2, &["begins at 0.25", "--left"]),
    ("--method insta-rs --left 0.3 --right 0.4", 2, &["nowhere to start", "--left"]),
    ("--method iss --loss 0", 2, &["positive amount", "--loss"]),
    ("--method iss --loss 100%", 2, &["share below 1", "--loss"]),
    ("--method dsrs --k 0", 1, &["k between 1 and 1535", "got 0"]),
    ("--method dsrs --k 1536", 1, &["k between 1 and 1535", "got 1536"]),
    ("--method dsrs --k 1", 1, &["too far from the first"]),
    ("--method dsrs --second 1.5", 2, &["got 1.5", "--second"]),
    ("--method dsrs --second much", 2, &["--second: must be a number, threshold or none, got much"]),
    ("--method dsrs --bound auto", 2, &["bound of its own", "--bound"]),
    ("--method probe --bound one-sided", 2, &["--bound: probe chooses the bound itself"]),
    ("--method cohen --mode paper", 2, &["--mode: is for qcrs only, and the method is cohen"]),
    ("--method qcrs --lambda 1e-5", 2, &["--lambda: is for probe only"]),
    ("--method iss --recipe sane", 2, &["--recipe: is for ddrs, insta-rs only"]),
    (
        "--method probe --preset cifar10-0.50 --sigma 0.05",
        2,
        &["--sigma: 0.05 lies outside the region", "0.12 to 1.7"],
    ),
    (
        "--preset imagenet-0.25 --sigma 0.06",
        2,
        &["--sigma: 0.06 lies outside the region", "leave the preset out"],
    ),
    ("--left -1", 2, &["--left: sigma must be finite and positive, got -1"]),
    ("--method insta-rs --starts 0.2,0", 2, &["--starts", "got 0"]),
    ("--method iss --loss -0.01", 2, &["not -0.01", "--loss"]),
    ("--at-radius 0", 2, &["positive, got 0", "--at-radius"]),
    ("--at-radius nan", 2, &["got NaN", "--at-radius"]),
    ("--at-radius 0.5 --bound auto", 2, &["one-sided", "--bound"]),
    ("--method probe --at-radius 0.5", 2, &["probe plans its draws for the largest radius", "--at-radius"]),
    ("--method ddrs --one-class 1", 2, &["follows the probabilities of all classes", "--one-class"]),
    ("--method grid --points 4294967295 --gradient-n 1", 2, &["2 to 65536 points", "--points"]),
    (
        "--method grid --points 60000 --gradient-n 80000",
        2,
        &["--gradient-n: 4800080000 draws", "fewer points"],
    ),
];

const NAMES: &[Case] = &[
    ("--preset cifar10-0.3", 2, &["--preset: there is no cifar10-0.3", "cifar10-0.50", "macer-0.50"]),
    ("--bound both", 2, &["both", "one-sided"]),
    ("--method cohen --one-class 70", 1, &["there is no class 70"]),
    ("--method cohen --of-class cow", 1, &["there is no class cow"]),
    ("--method newton", 2, &["newton", "cohen", "qcrs"]),
    ("--engine tensorflow", 2, &["unknown engine `tensorflow`", "auto, cnn, rten, ort"]),
    ("--device cuda", 1, &["rten runs on the cpu only", "cuda", "ort"]),
    ("--device gpu", 2, &["unknown device `gpu`", "cuda"]),
    ("--output scores", 2, &["scores", "logits, probs"]),
    ("--pairs some", 2, &["some", "common", "independent"]),
    ("--normalize cifar", 1, &["--normalize cifar", "cifar10", "MEANS/DEVIATIONS"]),
    ("--normalize 0.5/0.5", 1, &["channels"]),
    ("--shard 3/3", 2, &["there is no shard 3/3", "count from 0"]),
    ("--shard 0/0", 2, &["there is no shard 0/0"]),
    ("--shard half", 2, &["i/m", "got half"]),
    ("--sgima 3", 2, &["--sgima", "--sigma"]),
];

const SELECTIONS: &[Case] = &[
    ("--max 0", 1, &["no input is selected", "--max", "exclude all 8 inputs"]),
    ("--count 0", 1, &["no input is selected"]),
    ("--count 2 --shard 2/3", 1, &["no input is selected", "--shard"]),
    ("--skip 0", 2, &["--skip"]),
    ("--resize 256", 2, &["--resize: is for image files, not for data.bin"]),
];

#[test]
fn wrong_options_are_named_and_nothing_is_written() {
    let bench = Bench::new();
    for &(options, code, words) in NUMBERS.iter().chain(NAMES).chain(SELECTIONS) {
        bench.certify(&format!("{options} --run x")).fails(code, words);
        assert!(absent(&bench.path("x")), "{options} wrote something");
    }
    bench.run(&format!("certify {MODEL}")).fails(2, &["--sigma"]);
    bench.run("certify --sigma 1").fails(2, &["--model", "--data"]);
    bench.run("").fails(2, &["Usage"]);
    bench.run("certfy").fails(2, &["certfy", "certify"]);
}

#[test]
fn wrong_files_are_named_with_what_is_wrong() {
    let bench = Bench::new();
    let data = std::fs::read(bench.path("data.bin")).unwrap();
    bench.write("torn.bin", &data[..5000]);
    bench.write("label.bin", [&[77], &data[1..3073]].concat());
    bench.write("empty.bin", "");
    bench.write("notes.txt", "hello");
    bench.write("not.onnx", "this is no model");
    bench.write("pickle.onnx", b"\x80\x02ccollections");
    let model = std::fs::read(bench.path("model.onnx")).unwrap();
    bench.write("torn.onnx", &model[..model.len() / 2]);
    bench.write("wide.npy", npy("'|u1'", "(2, 3, 16, 16)", 2 * 3 * 16 * 16));
    bench.write("short.npy", npy("'|u1'", "(2, 3, 32, 32)", 100));
    bench.write("odd.npy", npy("'<c8'", "(1, 3, 32, 32)", 8 * 3072));
    bench.write("fine.npy", npy("'|u1'", "(2, 3, 32, 32)", 2 * 3072));
    bench.write("labels.csv", "1\n2\n3\n");
    std::fs::create_dir(bench.path("folder")).unwrap();
    std::fs::create_dir(bench.path("net")).unwrap();
    bench.write("net/model.onnx", &model);
    let cases: &[Case] = &[
        ("--data nowhere", 1, &["nowhere: there is no such file", "qcrs data get"]),
        ("--data torn.bin", 1, &["torn.bin: 5000 bytes", "offset 3073", "again"]),
        ("--data label.bin", 1, &["label.bin: label 77 at offset 0"]),
        ("--data empty.bin", 1, &["empty.bin: is empty"]),
        ("--data notes.txt", 1, &["notes.txt", "supported are"]),
        ("--data folder", 1, &["folder", "supported are", "empty"]),
        (
            "--data wide.npy",
            1,
            &[
                "model.onnx: the model takes images of 3×32×32, the data are 3×16×16; bring image files to that size \
               with --resize and --crop",
            ],
        ),
        ("--data short.npy", 1, &["short.npy"]),
        ("--data odd.npy", 1, &["odd.npy", "type <c8", "uint8"]),
        ("--data fine.npy --labels labels.csv", 1, &["fine.npy", "2 images but 3 labels"]),
        ("--data fine.npy --labels nowhere.csv", 1, &["nowhere.csv"]),
        ("--model nowhere.onnx", 1, &["nowhere.onnx: there is no such file", "--model"]),
        ("--model folder", 1, &["folder: this is a folder"]),
        ("--model net", 1, &["net: this is a folder", "such as net/model.onnx"]),
        ("--model not.onnx", 1, &["not.onnx: not an ONNX model", "torch.onnx.export"]),
        ("--model pickle.onnx", 1, &["pickle.onnx: a Python pickle"]),
        ("--model torn.onnx", 1, &["torn.onnx"]),
        ("--run data.bin", 1, &["data.bin: is a file; a run needs a directory"]),
        ("--run data.bin/r", 1, &["data.bin/r"]),
        ("--config nowhere.toml", 1, &["nowhere.toml"]),
    ];
    for &(options, code, words) in cases {
        let run = if options.contains("--run") { "" } else { "--run x" };
        bench.certify(&format!("{run} {options}")).fails(code, words);
        assert!(absent(&bench.path("x")), "{options} wrote something");
    }
    assert_eq!(std::fs::read(bench.path("data.bin")).unwrap(), data);
}

#[test]
fn a_label_that_the_model_does_not_have_is_no_wrong_answer() {
    let bench = Bench::new();
    bench.write("fine.npy", npy("'|u1'", "(2, 3, 32, 32)", 2 * 3072));
    bench.write("labels.csv", "1\n77\n");
    bench
        .certify("--method cohen --data fine.npy --labels labels.csv --run x")
        .code_is(1, "input 1 has the label 77, the model has classes 0 to 9");
}

#[test]
fn images_of_four_channels_are_certified_but_not_shown() {
    let bench = Bench::new();
    bench.write("model.onnx", model::linear([4, 32, 24]));
    bench.write("four.npy", npy("'|u1'", "(2, 4, 32, 24)", 2 * 3072));
    bench.certify("--method cohen --data four.npy --layout nchw --run x").says(&["inputs"]);
    let ran = bench.run("report x --data four.npy --layout nchw --html page.html").says(&["certified"]);
    assert!(ran.err.contains("the page cannot show images with 4 channels"), "{}", ran.err);
    assert!(!bench.read("page.html").contains("data:image/png"));
}

#[test]
fn a_wrong_config_file_is_named() {
    let bench = Bench::new();
    for (text, words) in [
        ("[certify", "qcrs.toml"),
        ("sigma = 0.25", "`sigma` is not a command"),
        ("[certfy]\nsigma = 0.25", "`certfy` is not a command"),
        ("certify = 3", "[certify]"),
        ("[certify]\nalpha = { a = 1 }", "[certify] alpha"),
        ("[certify]\nsgima = 3", "[certify] has no option `sgima`"),
        ("[certify]\nconfig = 'other.toml'", "[certify] has no option `config`"),
    ] {
        bench.write("qcrs.toml", text);
        bench.certify("--run x --config qcrs.toml").fails(1, &["qcrs.toml", words]);
    }
    assert!(absent(&bench.path("x")));
}

#[test]
fn the_other_commands_check_what_they_get() {
    let bench = Bench::new();
    for (typed, code, words) in [
        ("predict --sigma 0", 1, "sigma must be finite and positive"),
        ("predict --sigma 0.25 --n 0", 2, "--n"),
        ("predict --sigma 0.25 --n 1.5", 2, "must be a whole number such as 100000, 1e5 or 100,000, got 1.5"),
        ("tune --sigma 0.25 --n 1e30", 2, "is too large: 1e30"),
        ("doctor --images 1e-3", 2, "must be a whole number"),
        ("predict --sigma 0.25 --alpha 2", 1, "alpha"),
        ("predict --sigma 0.25 --max 0", 1, "no input is selected"),
        ("predict --sigma 0.25 --method qcrs", 1, "one σ for all inputs"),
        ("curve --sigma 0.25 --max 0", 1, "no input is selected"),
        ("curve --sigma 0.25 --ids 8", 1, "there is no input 8; the dataset has 8"),
        ("curve --sigma 0.25 --n 0", 2, "--n"),
        ("curve --sigma 0.25 --n 400000000", 2, "--n: 10000000000 draws of one input are too many"),
        ("curve --sigma 0.25 --left 2 --right 1", 2, "--left: must be below the right end 1, got 2"),
        ("curve --sigma 0.25 --points 1", 2, "--points"),
        ("doctor --sigma -1", 1, "sigma"),
        ("doctor --count 0", 1, "no input is selected"),
        ("doctor --n 0", 2, "--n"),
        // what would be passed over is refused
        ("curve --sigma 0.25 --ids 3 --skip 2", 2, "--skip"),
        (
            "paper mc-interval --sigma 0.25 --sigmas 1",
            1,
            "--sigmas is for quasiconcavity, sqc, sigma-error only",
        ),
        ("paper dsrs-matrix --sigma 0.25 --macer model.onnx", 1, "--macer is for training only"),
    ] {
        bench.with_model(typed).fails(code, &[words]);
    }
    for (typed, code, words) in [
        ("radius --votes 1 --of 0 --sigma 1", 1, "vote"),
        ("radius --votes 1 --of 1 --sigma -1", 1, "sigma"),
        ("bench --engine rten --model model.onnx --seconds 0", 1, "--seconds"),
        ("bench --engine rten --model model.onnx --python python4", 2, "--peer"),
        ("bench --engine rten --model nowhere.onnx", 1, "qcrs: nowhere.onnx: there is no such file"),
        ("bench --engine rten --model .", 1, "qcrs: .: this is a folder; --model takes"),
        ("demo --dir data.bin/x", 1, "cannot write data.bin/x"),
        ("bench --engine rten --model model.onnx --shape 3,32", 1, "--shape takes three numbers"),
        ("bench --engine rten --model model.onnx --shape 1,28,28", 1, "--shape"),
        ("completions csh", 2, "csh"),
        ("data get imagenet", 2, "imagenet"),
        ("merge --into x", 2, "<RUN>"),
    ] {
        bench.run(typed).fails(code, &[words]);
    }
}

#[test]
fn data_without_labels_can_be_certified_and_examined() {
    let bench = Bench::new();
    bench.write("fine.npy", npy("'|u1'", "(2, 3, 32, 32)", 2 * 3072));
    bench.certify("--data fine.npy --run r").says(&[]);
    let typed = format!("{} --data fine.npy", CERTIFY.replace("certify", "doctor"));
    let typed = typed.replace("--n0 20", "");
    bench.run(&typed).says(&[
        "without labels, scale, layout",
        "--labels",
        "same       100.0 %",
        "images/s",
        TABLE,
    ]);
}

/// New users do not know their σ.
#[test]
fn a_missing_sigma_says_how_to_find_one() {
    let words = &["--sigma <SIGMA>", "'qcrs doctor' tries several", "--preset, such as cifar10-0.25"];
    let bench = Bench::new();
    bench.run("certify --model model.onnx --data data").fails(2, words);
    let other = bench.run("certify --sigma 0.25 --data data");
    let other = other.fails(2, &["--model <FILE>"]);
    assert!(!other.err.contains("qcrs doctor"), "{}", other.err);
}

const TABLE: &str = "Most frequent answers at each σ";

/// A NumPy file with this header and as many bytes of grey.
fn npy(kind: &str, shape: &str, bytes: usize) -> Vec<u8> {
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(std::iter::repeat_n(128, bytes));
    file
}
