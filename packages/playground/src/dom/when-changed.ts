/**
 * Creates a function that calls `make` with its argument, unless it equals the previous plain data, so that existing
 * content remains.
 */
export function callWhenChanged<Given>(make: (given: Given) => void): (given: Given) => void {
  let last: string | undefined
  return (given) => {
    const text = JSON.stringify(given)
    if (text === last) return
    last = text
    make(given)
  }
}
