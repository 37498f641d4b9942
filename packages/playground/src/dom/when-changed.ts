/** Calls `make` with what it is given, unless that is the same plain data as the last time: what is there already stays. */
export function whenChanged<Given>(make: (given: Given) => void): (given: Given) => void {
  let last: string | undefined
  return (given) => {
    const text = JSON.stringify(given)
    if (text === last) return
    last = text
    make(given)
  }
}
