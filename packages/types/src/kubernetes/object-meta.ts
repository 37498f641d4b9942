/** A field that Kubernetes clients omit, set to `undefined`, or deliver as JSON `null`. */
export type Optional<T> = T | null | undefined

/**
 * The parts of `metadata` that are used. Timestamps are excluded, because clients represent them either as text or as
 * `Date`.
 */
export interface ObjectMeta {
  /** The name. */
  readonly name?: Optional<string>
  /** The namespace. */
  readonly namespace?: Optional<string>
  /** The labels. */
  readonly labels?: Optional<Readonly<Record<string, string>>>
  /** The annotations. */
  readonly annotations?: Optional<Readonly<Record<string, string>>>
}

/** The type of an object. Items of typed lists have no `kind` and `apiVersion`, so both are optional. */
export interface TypeMeta {
  /** The API group and version. */
  readonly apiVersion?: Optional<string>
  /** The kind of the object. */
  readonly kind?: Optional<string>
}
