/**
 * Creates a function that calls `make` with its argument. If the argument equals the previous argument, `make` is not
 * called, so that existing content remains. Arguments must be plain data.
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
