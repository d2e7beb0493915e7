//! Which public dataset is this?

/// A public dataset, recognised by the fingerprint of its images and labels, not by file names.
pub(super) struct KnownDataset {
    blake3: &'static str,
    pub name: &'static str,
    pub classes: [&'static str; 10],
}

/// The class names of CIFAR-10, as its own file spells them.
pub(super) static CIFAR10: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];
static DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
static FASHION: [&str; 10] = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
];

static KNOWN: [KnownDataset; 7] = [
    KnownDataset {
        name: "CIFAR-10 test",
        classes: CIFAR10,
        blake3: "c1436904788c701d68987abac2a702263bf35f942b1c9be706c4b18a4099a5b3",
    },
    KnownDataset {
        name: "CIFAR-10 train",
        classes: CIFAR10,
        blake3: "4081234f40985efab1937b4af9c1b2864ebfaa1e932ad1d7c930ad200fd15215",
    },
    KnownDataset {
        name: "MNIST test",
        classes: DIGITS,
        blake3: "ae63fd92de69e2e8507de1c78430393e8422035f981043cc4539684a423ddb96",
    },
    KnownDataset {
        name: "MNIST train",
        classes: DIGITS,
        blake3: "1567a6489629a614ea3d4cb195992dadecbce0759001070280f02056db79ac67",
    },
    KnownDataset {
        name: "Fashion-MNIST test",
        classes: FASHION,
        blake3: "97cda1f72820ffa6a1c1b2c35fe79b845ee005ba27d44ad5bfc128424f9cfd4d",
    },
    KnownDataset {
        name: "Fashion-MNIST train",
        classes: FASHION,
        blake3: "270bfcaee30101b39d230c55ea4a84694e68c5d5b3f847f6e1e58e390baf5423",
    },
    KnownDataset {
        name: "Fashion-MNIST, the first 100 test images", // those of `qcrs demo`
        classes: FASHION,
        blake3: "da205226c83b43b6fa121c9364964836468cb5d4bac7e9e2b01da61b97b140cf",
    },
];

/// The public dataset with this fingerprint.
pub(super) fn recognise(blake3: &str) -> Option<&'static KnownDataset> {
    KNOWN.iter().find(|known| known.blake3 == blake3)
}
