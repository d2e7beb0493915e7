use super::*;
use crate::analysis::{Curve, CurvePoint, Options, Table};

const HOSTILE: &str = "<script>alert('x')</script> & \"co\" | a_b \\";

/// No line is wrapped.
const WIDE: Terminal = Terminal { width: 400, setting: str::to_owned };

fn analysis(tables: Vec<Table>) -> Analysis {
    Analysis::new(tables, &Options::default()).unwrap()
}

/// Two of three inputs, under a name that tries to break every format.
fn partial(name: &str) -> Table {
    let spec = crate::analysis::tests::spec(3);
    let records =
        [0, 1].map(|index| crate::analysis::tests::record(index, 0, 0, Some(0.5 + f64::from(index))));
    crate::analysis::tests::from_run(name.into(), &spec, &records, &[]).unwrap()
}

fn per_input() -> Table {
    let head = "idx\tlabel\tpredict\tradius\tcorrect\tbest_sigma\ttime\n";
    let rows = "0\t0\t0\t0.99999\t1\t0.25\t1.5\n1\t0\t1\t0.5\t0\t0.75\t2.5\n2\t1\t-1\t0.0\t0\t0.5\t1\n";
    Table::from_tsv("per-input".into(), &format!("{head}{rows}")).unwrap()
}

fn curve() -> Curve {
    let point = |i: u32| {
        let sigma = 0.1 + 0.05 * f64::from(i);
        let radius = sigma * (2.5 - 4.0 * sigma);
        let radius = (radius > 0.0).then_some(radius);
        CurvePoint {
            sigma,
            p_lower: 0.9,
            p_upper: 0.95,
            radius,
            radius_upper: radius.map(|r| r * 1.1),
            answer: None,
        }
    };
    let points = (0..16).map(point).collect();
    Curve {
        file: None,
        model: String::new(),
        data: String::new(),
        index: 20,
        label: Some(7),
        class: 7,
        caption: "horse, n = 10,000".into(),
        points,
    }
}

fn page(analysis: &Analysis, pictures: &[Picture]) -> String {
    html(&Page { title: "Demo <b>", analysis, curves: &[curve()], pictures }).unwrap()
}

fn picture(index: u32) -> Picture {
    let side = 32;
    let paint = |noise: u32| {
        let pixel = |x: u32, y: u32| {
            let grain = (x * 7919 + y * 104_729 + index).wrapping_mul(2_654_435_761) >> 24;
            let shade = (x * 8 + y * 3 + index) % 256 + noise * grain / 255;
            [shade.min(255) as u8, (y * 8) as u8, (255 - x * 8) as u8]
        };
        image::RgbImage::from_fn(side, side, |x, y| image::Rgb(pixel(x, y)))
    };
    let png = |noise| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        paint(noise).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        bytes.into_inner()
    };
    let caption = "σ 0.3125, radius at least 0.7700".into();
    Picture {
        name: index.to_string(),
        index,
        label_name: "horse".into(),
        clean_png: png(0),
        noisy_png: png(160),
        caption,
        run: "per-input".into(),
    }
}

#[test]
fn an_incomplete_run_is_called_so_everywhere() {
    let analysis = analysis(vec![per_input(), partial("part")]);
    let warning = "incomplete: 2 of 3 inputs";
    for table in tables::all(&analysis) {
        let shown = table.text(WIDE.width);
        assert!(!shown.contains("part") || shown.contains(warning), "{shown}");
    }
    for (name, svg) in figures(&analysis, &[]).unwrap() {
        assert!(!svg.contains("part ") || svg.contains(warning), "{name}");
    }
    assert!(figures(&analysis, &[]).unwrap()[0].1.contains(warning));
    for shown in [text(&analysis, &WIDE), markdown(&analysis), latex(&analysis), page(&analysis, &[])] {
        assert!(shown.contains(warning), "{shown}");
    }
    assert!(csv(&analysis).lines().nth(2).unwrap().starts_with("part,fixed-sigma,2,3,false,0,0.001,"));
    assert!(json(&analysis).unwrap().contains("\"complete\":false"));
}

#[test]
fn a_hostile_name_stays_text() {
    let analysis = analysis(vec![partial(HOSTILE), per_input()]);
    let page = page(&analysis, &[]);
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;") && page.contains("Demo &lt;b&gt;"));
    for (_, svg) in figures(&analysis, &[]).unwrap() {
        assert!(!svg.contains("<script"));
    }
    let markdown = markdown(&analysis);
    assert!(!markdown.contains("<script") && markdown.contains("\\| a\\_b \\\\ (incomplete"), "{markdown}");
    let latex = latex(&analysis);
    assert!(
        latex.contains("\n{\\footnotesize frozen-sigma: a noise level per input."),
        "the promise is printed"
    );
    assert!(latex.contains(" \\& \"co\" | a\\_b \\textbackslash{}"), "{latex}");
    assert!(csv(&analysis).contains("\"<script>alert('x')</script> & \"\"co\"\" | a_b \\\""));
}

/// Terminal codes, tabs and new lines in a name never reach the output, and no name becomes a formula.
#[test]
fn a_name_rules_neither_a_terminal_nor_a_spreadsheet() {
    let rude = "a\u{1b}[2J\u{9b}31m\tb\nc\u{202e}\rd";
    let analysis =
        analysis(vec![partial(rude), partial("=1+2"), partial("@x"), partial("-x,\"y\""), partial("+1")]);
    for shown in [text(&analysis, &WIDE), markdown(&analysis), latex(&analysis), csv(&analysis)] {
        assert!(shown.contains("2J�31m�b�c��d"), "{shown}");
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(bad), "{shown:?}");
    }
    let names: Vec<String> =
        csv(&analysis).lines().skip(1).map(|line| line.split(",fixed").next().unwrap().into()).collect();
    assert_eq!(names[1..], ["'=1+2", "'@x", "\"'-x,\"\"y\"\"\"", "'+1"]);
    assert!(answers(&analysis.tables[0], 3, &WIDE).lines().count() < 9);
}

#[test]
fn radii_are_cut_and_the_page_says_so() {
    let analysis = analysis(vec![per_input()]);
    // the mean of .99999, 0 and 0 is .33333; a third abstains, rounded up
    assert!(text(&analysis, &WIDE).contains(" 0.3333 "), "{}", text(&analysis, &WIDE));
    let page = page(&analysis, &[]);
    assert!(page.contains("rounded down") && page.contains("<td>0.3333<small>"));
    let json: serde_json::Value = serde_json::from_str(&json(&analysis).unwrap()).unwrap();
    assert_eq!(json["acr"]["value"], 0.99999 / 3.0);
    assert_eq!(json["guarantee"], "frozen-sigma");
}

#[test]
fn the_page_needs_nothing_else_and_states_the_promise() {
    let analysis = analysis(vec![per_input(), partial("part")]);
    let page = page(&analysis, &[picture(20)]);
    assert!(page.contains("says nothing about a system that re-runs the search on a perturbed input"));
    assert!(page.contains("fixed-sigma: one noise level"));
    // a column is explained where there is one
    let shown = analysis.summaries.iter().any(|summary| summary.runner_up_share.is_some());
    assert_eq!(page.contains("Runner-up"), shown);
    assert!(!self::page(&self::analysis(vec![per_input()]), &[]).contains("Runner-up"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://") && !outside.contains("url("));
}

#[test]
fn figures_stand_alone() {
    let analysis = analysis(vec![per_input()]);
    let flat = Curve { index: 21, points: vec![curve().points[0]; 2], ..curve() };
    let all = figures(&analysis, &[curve(), flat]).unwrap();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "certified-accuracy.svg",
            "acr.svg",
            "sigma.svg",
            "answers-per-input.svg",
            "sigma-radius-20.svg",
            "sigma-radius-21.svg"
        ]
    );
    for (name, svg) in &all {
        assert!(
            svg.contains("prefers-color-scheme") && svg.contains("<title>") && svg.contains("<desc>"),
            "{name}"
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}: {svg}");
    }
}

/// Twenty inputs of ten classes at σ = 0.25, all right, and the same at `sigma`, answered with `other`.
fn two_levels(name: &str, sigma: f64, other: impl Fn(u32) -> u32) -> Table {
    let head = "idx\tlabel\tpredict\tradius\tbest_sigma\n";
    let row = |index: u32| {
        let (label, right) = (index % 10, index < 20);
        let (class, sigma) = if right { (label, 0.25) } else { (other(index), sigma) };
        format!("{index}\t{label}\t{class}\t{sigma}\t{sigma}\n")
    };
    let rows: String = (0..40).map(row).collect();
    Table::from_tsv(name.into(), &format!("{head}{rows}")).unwrap()
}

/// At σ = 1 the network answers class 1 to all twenty inputs, two of them of that class.
#[test]
fn a_default_class_is_warned_of_everywhere() {
    let analysis =
        analysis(vec![two_levels("calm", 0.25, |index| index % 10), two_levels("loud", 1.0, |_| 1)]);
    let warning = "the network answers class 1 to 20 of 20 images";
    for shown in [text(&analysis, &WIDE), markdown(&analysis), latex(&analysis), page(&analysis, &[])] {
        assert_eq!(shown.matches(warning).count(), 1, "{shown}");
        assert!(
            shown.contains("labelled with the default class") && shown.contains("most frequent answer"),
            "{shown}"
        );
    }
    assert!(text(&analysis, &WIDE).contains("loud: at σ = 1.00 the network"), "{}", text(&analysis, &WIDE));
    let line = json(&analysis).unwrap().lines().nth(1).unwrap().to_owned();
    let json: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(json["answers"][1]["classes"][0]["answers"], 20, "{json}");
    let default = &json["default_classes"][0];
    assert_eq!(
        (&default["name"], &default["inputs"], &default["labelled"]),
        (&"class 1".into(), &20.into(), &2.into())
    );
    // 18 wrong answers lose 4.5, two right ones gain 1.5; without class 1 the loss is half of 9
    let without = &json["paired"]["without_default"];
    assert_eq!((&without["class"], &without["inputs"]), (&1.into(), &36.into()));
    assert!((without["gain"]["value"].as_f64().unwrap() + 0.5).abs() < 1e-12, "{without}");
    let calm = self::analysis(vec![two_levels("calm", 0.25, |index| index % 10)]);
    assert!(calm.warnings.is_empty() && !text(&calm, &WIDE).contains("labelled with"));
}

#[test]
fn more_classes_than_colours_share_one() {
    for (classes, others) in [(10, false), (13, true)] {
        let analysis = analysis(vec![two_levels("many", 1.0, |index| index % classes)]);
        let all = figures(&analysis, &[]).unwrap();
        let svg = &all.iter().find(|(name, _)| name == "answers-many.svg").unwrap().1;
        assert_eq!(svg.contains(">others</text>"), others, "{svg}");
        assert_eq!(svg.contains("share rest"), others, "{svg}");
        let samples = svg.matches("width=\"11.0\"").count();
        assert_eq!(samples, 10 + usize::from(others), "one in the legend for each colour: {svg}");
        assert!((0..10).all(|colour| svg.contains(&format!("share c{colour}\""))), "{svg}");
    }
}

/// Curves of a few inputs say little about classes; old files do not say what was answered.
#[test]
fn the_answers_of_curves_are_drawn_where_there_are_enough() {
    let analysis = analysis(vec![per_input()]);
    let curves = |count: u32, answer: Option<usize>| -> Vec<Curve> {
        let points: Vec<_> = curve().points.into_iter().map(|point| CurvePoint { answer, ..point }).collect();
        (0..count).map(|index| Curve { index, points: points.clone(), ..curve() }).collect()
    };
    for (count, answer, drawn) in [(9, Some(1), false), (10, Some(1), true), (10, None, false)] {
        let all = figures(&analysis, &curves(count, answer)).unwrap();
        assert_eq!(all.iter().any(|(name, _)| name == "answers-of-curves.svg"), drawn, "{count} {answer:?}");
        let page = Page { title: "", analysis: &analysis, curves: &curves(count, answer), pictures: &[] };
        let warns = html(&page).unwrap().contains("curves: at σ from");
        assert_eq!(warns, drawn, "{count} {answer:?}: all inputs are labelled 7");
    }
}

#[test]
fn a_curve_shows_the_sigma_that_a_search_chose_for_its_input() {
    let analysis = analysis(vec![per_input()]);
    for (index, shown) in [(0, true), (20, false)] {
        let all = figures(&analysis, &[Curve { index, ..curve() }]).unwrap();
        assert_eq!(all.last().unwrap().1.contains("σ of per-input: 0.2500"), shown, "input {index}");
    }
}

#[test]
fn stacked_plots_do_not_overlap_and_counts_have_whole_ticks() {
    let plot = |whole_x| plot::Plot {
        title: "Loss".into(),
        desc: "Falls.".into(),
        x_label: "epoch",
        y_label: "loss",
        whole_x,
        x: (0.0, 3.0),
        y: (0.0, 1.0),
        series: Vec::new(),
        notes: Vec::new(),
    };
    let ticks = |whole| plot(whole).svg(None).matches("tick middle").count();
    assert_eq!((ticks(false), ticks(true)), (7, 4));
    assert!(plot(true).svg(None).contains(">3</text>") && plot(false).svg(None).contains(">2.5</text>"));
    let height = |svg: &str| svg.split("height=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
    let (one, two) = (plot::stacked("a", &[plot(true)]), plot::stacked("a", &[plot(true), plot(true)]));
    let (one, all) = (height(&one).unwrap(), height(&two).unwrap());
    assert!(one > height(&plot(true).svg(None)).unwrap());
    assert!((all - 2.0 * one).abs() < 1e-9, "{all} is not twice {one}");
    assert!(two.contains("translate(0 0.0)") && two.contains(&format!("translate(0 {one:.1})")));
}

#[test]
fn every_table_has_one_cell_per_column() {
    let grids = tables::all(&analysis(vec![per_input(), partial("part"), crate::analysis::tests::small()]));
    assert!(grids.len() > 2, "{}", grids.len());
    for grid in grids {
        assert!(!grid.rows.is_empty(), "{}", grid.caption);
        assert!(grid.rows.iter().all(|row| row.len() == grid.head.len()), "{}", grid.caption);
    }
}

/// A number of the summary that is not in the list of metrics would be in no table.
#[test]
fn every_estimate_of_a_summary_is_a_metric() {
    let analysis = analysis(vec![crate::analysis::tests::small()]);
    let summary = serde_json::to_value(&analysis.summaries[0]).unwrap();
    let fields = summary.as_object().unwrap();
    let found: Vec<&str> = metrics::METRICS.iter().map(|metric| metric.column).collect();
    let estimates = fields.iter().filter(|(_, value)| value.get("low").is_some());
    let names: Vec<&str> = estimates.map(|(name, _)| name.as_str()).collect();
    assert!(names.len() > 5, "{names:?}");
    assert!(names.iter().all(|name| found.contains(name)), "{names:?} are not all in {found:?}");
}

#[test]
fn answers_say_where_the_predictor_may_abstain() {
    let head = "idx\tlabel\tpredict\tradius\tfail_safe_class\tfail_safe_radius\tfail_safe_answers\n";
    let rows = "0\t0\t0\t0.25\t0\t0.50009\t1\n1\t0\t-1\t0.0\t2\t0.75\t0\n2\t0\t-1\t0.0\t\t\t\n";
    let shown = answers(&Table::from_tsv("a".into(), &format!("{head}{rows}")).unwrap(), 3, &WIDE);
    let last = |line: &str| line.rsplit("  ").next().unwrap().to_owned();
    let shown: Vec<String> = shown.lines().skip(2).map(last).collect();
    let shown: Vec<&str> =
        shown.iter().map(|line| line.trim_start()).filter(|line| !line.starts_with('-')).collect();
    let want = ["answers or abstains within", "0.5000", "class 2 0.7500", "may abstain here", "–"];
    assert_eq!(shown, want);
    // and nothing where no input has such a radius
    assert!(!answers(&per_input(), 3, &WIDE).contains("within"));
}

#[test]
fn values_that_all_runs_share_are_said_once() {
    let alone = text(&analysis(vec![partial("a")]), &WIDE);
    let caption =
        "Results: method cohen, model net.onnx, data toys, σ 0.5, n 100, α 0.001, guarantee fixed-sigma,";
    assert!(alone.starts_with(caption), "{alone}");
    let mut other = partial("b");
    other.spec.as_mut().unwrap().models = crate::run::ModelSpec {
        name: "wide/model.onnx".into(),
        ..other.spec.as_ref().unwrap().models.first().clone()
    }
    .into();
    let both = text(&analysis(vec![partial("a"), other]), &WIDE);
    let lines: Vec<Vec<&str>> = both.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[2], ["run", "model"], "{both}");
    assert!(lines[4].ends_with(&["net.onnx"]) && lines[5].ends_with(&["wide"]), "{both}");
    assert!(both.contains("Results: method cohen, data toys, σ 0.5, n 100,"), "{both}");
    // a file says only what its columns say
    let file = text(&analysis(vec![per_input()]), &WIDE);
    assert!(file.starts_with("Results: σ 0.25–0.75, guarantee frozen-sigma, inputs 3\n"), "{file}");
}

#[test]
fn a_table_for_a_terminal_fits_whatever_the_runs_are_called() {
    let long = "cifar10-resnet20-gaussian-0.50-qcrs-s0.5-n10000-0123ab";
    for names in [&["a", "b"][..], &[long], &[long, "b", &long.repeat(3)]] {
        let mut tables: Vec<Table> = names.iter().map(|name| partial(name)).collect();
        tables.push(Table { name: format!("{}-file", names[0]), ..per_input() });
        for tables in [tables.clone(), tables[..1].to_vec()] {
            for width in [60, 80, 100] {
                let shown = text(&analysis(tables.clone()), &Terminal { width, ..Terminal::default() });
                let longest = shown.lines().max_by_key(|line| line.chars().count()).unwrap();
                assert!(longest.chars().count() <= width, "{longest:?} in\n{shown}");
            }
        }
        let shown = text(&analysis(tables), &Terminal::default());
        assert_eq!(shown.contains(&format!("a = {long}\n")), names[0] == long, "{shown}");
    }
}

#[test]
fn a_deployer_is_told_what_to_use_in_the_words_of_the_place() {
    let typed = Terminal { setting: |name| format!("--{name}"), ..Terminal::default() };
    let frozen = analysis(vec![per_input()]);
    for (terminal, words) in [(typed, "use --method cohen."), (Terminal::default(), "use method cohen.")] {
        let shown = text(&frozen, &terminal).replace('\n', " ");
        assert!(shown.contains(&format!("for a deployed system {words}")), "{shown}");
    }
}

/// Rows with the votes of their certificates: (votes for the class, all votes, σ).
fn voted(rows: &[(u64, u64, f64)]) -> Table {
    let head = "idx\tlabel\tpredict\tradius\tbest_sigma\tvotes\tn\n";
    let row = |(index, &(votes, n, sigma)): (usize, &(u64, u64, f64))| {
        let radius = if votes == n { 2.4662 * sigma } else { sigma };
        format!("{index}\t0\t0\t{radius}\t{sigma}\t{votes}\t{n}\n")
    };
    let rows: String = rows.iter().enumerate().map(row).collect();
    Table::from_tsv("voted".into(), &format!("{head}{rows}")).unwrap()
}

#[test]
fn radii_at_the_ceiling_of_n_are_explained() {
    let note = |rows: &[(u64, u64, f64)]| {
        let shown =
            text(&analysis(vec![voted(rows)]), &Terminal { setting: |name| format!("--{name}"), width: 200 });
        shown.lines().find(|line| line.ends_with("; a larger --n shows more.")).map(str::to_owned)
    };
    let all = (1000, 1000, 0.251);
    assert_eq!(
        note(&[all, all, all, (990, 1000, 0.251)]).as_deref(),
        Some(
            "0.6190 is the most that n = 1000 can show at σ = 0.251 (3 of 4 images); a larger --n shows more."
        )
    );
    assert_eq!(
        note(&[all, (1000, 1000, 0.3), (1000, 1000, 0.4), (990, 1000, 0.3)]).as_deref(),
        Some(
            "3 of 4 images have all n = 1000 votes, so their radii are the most that n can show; a larger --n shows more."
        )
    );
    assert_eq!(note(&[all, (990, 1000, 0.251), (991, 1000, 0.251)]), None, "one answer is not several");
    assert_eq!(note(&[all, (500, 500, 0.251), (991, 1000, 0.251)]), None, "half of the draws were enough");
    // more than twenty inputs for each of them
    let mut many = vec![(990, 1000, 0.251); 60];
    many.extend([all, all]);
    assert_eq!(note(&many), None);
}

#[test]
fn answers_name_files_and_shorten_them_for_a_terminal() {
    let long = "validation/n01440764/ILSVRC2012_val_00000293.JPEG";
    let table = |file: &str| {
        let text = format!(
            "idx\tlabel\tpredict\tradius\tbest_sigma\tpasses\tfile\n7\t0\t0\t0.25\t0.5\t100100\t{file}\n"
        );
        answers(&Table::from_tsv("a".into(), &text).unwrap(), 3, &Terminal::default())
    };
    let first = |shown: &str| shown.lines().nth(4).unwrap().split("  ").next().unwrap().to_owned();
    assert_eq!(first(&table("cat/a.png")), "cat/a.png");
    assert_eq!(first(&table("")), "7");
    let shown = table(long);
    assert_eq!(first(&shown), "validation/n01440…_val_00000293.JPEG");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

/// A page of many runs shows its results first; the rest can be opened.
#[test]
fn many_warnings_do_not_hide_the_results() {
    let shown = |count: usize| {
        let mut analysis = analysis(vec![partial("a")]);
        analysis.warnings = (0..count).map(|number| format!("warning number {number}.")).collect();
        let page = page(&analysis, &[]);
        assert_eq!(page.matches("warning number").count(), count, "none is lost");
        (page.matches("<p class=\"warning\">warning number").count(), page.contains(" more warnings about"))
    };
    assert_eq!((shown(4), shown(9)), ((4, false), (4, true)));
}

#[test]
fn a_page_of_many_runs_is_folded() {
    let runs = |count: u32| analysis((0..count).map(|at| partial(&format!("run {at}"))).collect());
    let folded = |count| {
        page(&runs(count), &[]).matches("<details class=\"card\">\n<summary class=\"caption\">Cert").count()
    };
    assert_eq!((folded(8), folded(9)), (0, 1));
}

#[test]
fn the_ceilings_of_several_runs_are_one_sentence() {
    let all = (1000, 1000, 0.251);
    let tables = ["a", "b"].map(|name| Table { name: name.into(), ..voted(&[all, all, (990, 1000, 0.251)]) });
    let shown = text(&analysis(tables.to_vec()), &WIDE);
    let note = "radii that are the most that n can show: a (2 of 3 images, n = 1000), b (2 of 3 images, n = 1000); a larger";
    assert_eq!(shown.matches(note).count(), 1, "{shown}");
}
