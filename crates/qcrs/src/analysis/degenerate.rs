//! Which certificates say less than their radii seem to?

use super::Table;
use super::default_class::short;
use crate::run::Spec;
use crate::types::Sigma;

/// A σ this close to the right end of the search region lies at it: the steps of a search are smaller.
const AT_THE_END: f64 = 0.98;
/// One of so many certificates may have its σ there without a pattern.
const ONE_IN: usize = 20;
/// Of fewer inputs, none may be certified by chance.
const FEWEST: usize = 10;

/// One sentence for each kind of certificate in `table` that says less than it seems to.
pub(super) fn warnings(table: &Table) -> Vec<String> {
    let Some(spec) = &table.spec else { return Vec::new() };
    let about_noise = [nothing_left(table, spec), mostly_wrong(table, spec)];
    [beyond_all_images(table, spec), at_the_end(table, spec)]
        .into_iter()
        .chain(about_noise)
        .flatten()
        .collect()
}

/// All images lie in a cube with sides of length 1, whose diagonal is √d.
fn beyond_all_images(table: &Table, spec: &Spec) -> Option<String> {
    let diagonal = (spec.data.shape.iter().product::<usize>() as f64).sqrt();
    let beyond = table.rows.iter().filter(|row| row.predicted.is_some() && row.radius > diagonal).count();
    let (these, say) = if beyond == 1 { ("radius is", "it says") } else { ("radii are", "they say") };
    (beyond > 0).then(|| {
        format!(
            "{beyond} {these} larger than {diagonal:.1}, which is √d and more than the distance between any two images: {say} \
             only that the smoothed classifier answers one class to every image"
        )
    })
}

/// A search that stops at the end of its region would have gone further.
fn at_the_end(table: &Table, spec: &Spec) -> Option<String> {
    let [_, high] = spec.method.facts().region?.map(Sigma::get);
    let certified = || table.rows.iter().filter(|row| row.predicted.is_some());
    let at_end = certified().filter(|row| row.sigma.is_some_and(|sigma| sigma >= AT_THE_END * high)).count();
    let (all, have) = (certified().count(), if at_end == 1 { "has its" } else { "have their" });
    (at_end > 0 && ONE_IN * at_end >= all).then(|| {
        format!(
            "{at_end} of {all} certificates {have} σ at the right end of the search region ({}): either a wider region \
             would give them more, or the network answers the same class to nearly everything there",
            short(high)
        )
    })
}

/// More noise than a network stands leaves no class with a majority.
fn nothing_left(table: &Table, spec: &Spec) -> Option<String> {
    let inputs = table.rows.iter().filter(|row| !row.failed).count();
    let none = table.asked.is_none() && table.rows.iter().all(|row| row.predicted.is_none());
    let sigma = short(spec.method.facts().sigma.get());
    (none && inputs >= FEWEST).then(|| {
        format!(
            "none of the {inputs} inputs is certified: noise of σ = {sigma} may be more than the network was trained for; \
             `qcrs doctor` tries others"
        )
    })
}

/// A network that cannot read its noisy inputs is sure of wrong answers.
fn mostly_wrong(table: &Table, spec: &Spec) -> Option<String> {
    let inputs = table.rows.len();
    let wrong =
        table.rows.iter().filter(|row| row.predicted.is_some() && row.correct() == Some(false)).count();
    let sigma = short(spec.method.facts().sigma.get());
    (inputs >= FEWEST && 2 * wrong > inputs).then(|| {
        format!(
            "{wrong} of {inputs} inputs are certified with a wrong class: the network may want its pixels scaled otherwise, or \
             may not have been trained with noise of σ = {sigma}; `qcrs doctor` finds out"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Row;
    use crate::analysis::tests::{small, spec};
    use crate::data::About;
    use crate::method::{Method, Qcrs};

    /// A run of QCRS around σ = 0.25 on images of 12 values, with these certified radii and σ.
    fn table(rows: &[(f64, f64)]) -> Table {
        let row = |&(radius, sigma): &(f64, f64)| Row {
            radius,
            sigma: Some(sigma),
            predicted: (radius > 0.0).then_some(0),
            ..small().rows[0].clone()
        };
        let search = Qcrs::scaled_to(Sigma::new(0.25).unwrap()).unwrap();
        let spec = spec(10);
        let data = About { shape: [3, 2, 2], ..spec.data };
        let spec = Spec { method: Method::new(search).unwrap(), data, ..spec };
        Table { rows: rows.iter().map(row).collect(), spec: Some(spec), ..small() }
    }

    /// Labels and answers of the rows are 0, but for the first `wrong` labels.
    #[test]
    fn a_network_that_is_mostly_wrong_is_told_of() {
        let labelled = |inputs: usize, wrong: usize| {
            let mut table = table(&vec![(0.5, 0.25); inputs]);
            for (at, row) in table.rows.iter_mut().enumerate() {
                row.label = Some(usize::from(at < wrong));
            }
            warnings(&table)
        };
        assert!(labelled(10, 6)[0].starts_with("6 of 10 inputs are certified with a wrong class"));
        assert_eq!(labelled(10, 5), [""; 0]);
        assert_eq!(labelled(9, 9), [""; 0]);
    }

    #[test]
    fn usual_certificates_do_not_warn() {
        assert_eq!(warnings(&table(&[(0.5, 0.25), (3.4, 0.8), (0.0, 0.85), (0.0, 0.25)])), [""; 0]);
        assert_eq!(warnings(&table(&[(0.0, 0.25); 9])), [""; 0]);
        assert_eq!(warnings(&Table { spec: None, ..table(&[(99.0, 0.85)]) }), [""; 0]);
    }

    #[test]
    fn a_radius_beyond_all_images_is_called_that() {
        let [warning] = &warnings(&table(&[(3.5, 0.25), (3.4, 0.25)]))[..] else { panic!("one expected") };
        assert!(warning.starts_with("1 radius is larger than 3.5, which is √d"), "{warning}");
        let two = warnings(&table(&[(3.5, 0.25), (400.0, 0.25)]));
        assert!(two[0].starts_with("2 radii are larger"), "{two:?}");
    }

    #[test]
    fn a_sigma_at_the_end_of_the_region_is_counted() {
        let warning = warnings(&table(&[(0.5, 0.25), (2.1, 0.844), (2.1, 0.85), (0.0, 0.85)]));
        let expected = "2 of 3 certificates have their σ at the right end of the search region (0.85): ";
        assert!(warning.len() == 1 && warning[0].starts_with(expected), "{warning:?}");
        let one_in = |all: usize| [vec![(2.1, 0.85)], vec![(0.5, 0.25); all - 1]].concat();
        assert!(warnings(&table(&one_in(20)))[0].starts_with("1 of 20 certificates has its σ"));
        assert_eq!(warnings(&table(&one_in(21))), [""; 0]);
    }

    #[test]
    fn a_run_without_any_certificate_says_so() {
        let warning = warnings(&table(&[(0.0, 0.25); 10]));
        assert!(
            warning.len() == 1 && warning[0].starts_with("none of the 10 inputs is certified"),
            "{warning:?}"
        );
        assert_eq!(warnings(&Table { asked: Some(1.0), ..table(&[(0.0, 0.25); 10]) }), [""; 0]);
    }
}
