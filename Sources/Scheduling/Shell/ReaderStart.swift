/// The answer to the reader, which has asked for an operation to run.
package enum ReaderStart {
    /// There is none.
    case nothing
    /// This operation has started. The reader has to run its body.
    case start(OperationID)
    /// The reader held the best operation back, and has to ask again.
    case later
}
