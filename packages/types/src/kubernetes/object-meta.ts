/** A field that Kubernetes clients omit, set to `undefined`, or deliver as JSON `null`. */
export type Optional<T> = T | null | undefined

/** The used parts of `metadata`. Excludes timestamps, because clients represent them as text or as `Date`. */
export interface ObjectMeta {
  readonly name?: Optional<string>
  readonly namespace?: Optional<string>
  readonly labels?: Optional<Readonly<Record<string, string>>>
  readonly annotations?: Optional<Readonly<Record<string, string>>>
}

/** The type of an object. Items of typed lists have no `kind` and `apiVersion`, so both are optional. */
export interface TypeMeta {
  readonly apiVersion?: Optional<string>
  readonly kind?: Optional<string>
}
