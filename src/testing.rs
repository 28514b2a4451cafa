//! What the unit tests share. Any module may use it.

#[path = "../tests/support/rng.rs"]
mod rng;

pub(crate) use rng::Rng;

/// All sequences of `N` of these items.
pub(crate) fn sequences<T: Copy, const N: usize>(items: &[T]) -> impl Iterator<Item = [T; N]> {
    (0..items.len().pow(N as u32)).map(move |number| {
        let mut rest = number;
        [(); N].map(|()| {
            let item = items[rest % items.len()];
            rest /= items.len();
            item
        })
    })
}

/// `len` bytes or some more, in runs of one of the pieces each.
pub(crate) fn repeated(rng: &mut Rng, pieces: &[&[u8]], len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < len {
        // The first pieces come most often.
        let few = 1 + rng.below(pieces.len());
        bytes.extend_from_slice(&rng.pick(&pieces[..few]).repeat(1 + rng.below(8)));
    }
    bytes
}
