//! Batches of raw requests to a store, over one stream.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use prost::Message;
use tokio_stream::Stream;
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding::Gzip;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic::codegen::http::Response;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{IntoStreamingRequest, Status, Streaming, body};
use tonic_prost::ProstEncoder;
use tower::ServiceExt;

use crate::tikvpb::{BatchCommandsRequest, BatchCommandsResponse};

/// Bytes before each message: 1 if it is compressed, and four of its length (gRPC over HTTP/2, "Length-Prefixed-Message").
const PREFIX: usize = 5;

/// The longest message of a store that is read: a batch of answers has as many rows as were asked for. Memory is not without end.
pub const MOST_BYTES: usize = 256 << 20;

/// Opens the stream. As `TikvClient::batch_commands`, but answers that are not compressed are read where HTTP/2 left them, into lists
/// as long as the last: tonic would copy each message, and the lists grow answer by answer.
///
/// # Errors
/// Those of the connection, and what the store says.
pub async fn batch_commands(
    channel: Channel,
    gzip: bool,
    requests: impl Stream<Item = BatchCommandsRequest> + Send + 'static,
) -> Result<Streaming<BatchCommandsResponse>, Status> {
    let past = Past::default();
    let way = past.clone();
    let mut store = Grpc::new(channel.map_response(move |response: Response<body::Body>| {
        let mut begun = BytesMut::new();
        response.map(|body| body.map_frame(move |frame| frame.map_data(|piece| way.lead(piece, &mut begun))))
    }))
    .max_decoding_message_size(MOST_BYTES);
    if gzip {
        store = store.send_compressed(Gzip).accept_compressed(Gzip);
    }
    store.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = PathAndQuery::from_static("/tikvpb.Tikv/BatchCommands");
    Ok(store.streaming(requests.into_streaming_request(), path, Batches(past)).await?.into_inner())
}

/// The way of messages past tonic, which gets an empty one for each.
#[derive(Debug, Clone, Default)]
struct Past(Arc<Mutex<VecDeque<Bytes>>>);

impl Past {
    /// What tonic is to see of a piece; `begun` is what came of a message that is not whole yet.
    fn lead(&self, mut piece: Bytes, begun: &mut BytesMut) -> Bytes {
        if !begun.is_empty() {
            begun.extend_from_slice(&piece);
            if whole(begun).is_none() {
                return Bytes::new();
            }
            piece = begun.split().freeze();
        }
        let mut seen = BytesMut::new();
        while let Some(length) = whole(&piece) {
            let mut message = piece.split_to(length);
            if message[0] == 0 {
                message.advance(PREFIX);
                self.0.lock().push_back(message);
                seen.extend_from_slice(&[0; PREFIX]);
            } else {
                seen.extend_from_slice(&message);
            }
        }
        begun.extend_from_slice(&piece);
        seen.freeze()
    }
}

/// The length of the first message with its prefix, if all of it is there.
fn whole(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(1..PREFIX)?.try_into().ok().map(u32::from_be_bytes)? as usize + PREFIX;
    (bytes.len() >= length).then_some(length)
}

/// Protobuf whose answers come past tonic.
#[derive(Debug)]
struct Batches(Past);

impl Codec for Batches {
    type Encode = BatchCommandsRequest;
    type Decode = BatchCommandsResponse;
    type Encoder = ProstEncoder<BatchCommandsRequest>;
    type Decoder = Answers;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        Answers { past: self.0.clone(), last: 0 }
    }
}

/// Reads answers.
#[derive(Debug)]
struct Answers {
    past: Past,
    /// How many came last.
    last: usize,
}

impl Decoder for Answers {
    type Item = BatchCommandsResponse;
    type Error = Status;

    fn decode(&mut self, seen: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let mut answers = BatchCommandsResponse {
            responses: Vec::with_capacity(self.last),
            request_ids: Vec::with_capacity(self.last),
            ..BatchCommandsResponse::default()
        };
        // What was compressed came by tonic, and is not empty: no store answers nothing.
        let read = if seen.has_remaining() {
            answers.merge(seen)
        } else {
            let message = self.past.0.lock().pop_front();
            answers.merge(message.unwrap_or_default())
        };
        read.map_err(|error| Status::internal(error.to_string()))?;
        self.last = answers.request_ids.len();
        Ok(Some(answers))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prefixed(compressed: bool, message: &[u8]) -> Vec<u8> {
        [&[u8::from(compressed)][..], &(message.len() as u32).to_be_bytes(), message].concat()
    }

    proptest! {
        /// Tonic sees all that is compressed as it came, and an empty message for each that is not, which goes past it.
        #[test]
        fn wherever_pieces_are_cut_each_message_goes_its_way(
            messages in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..40)), 0..8),
            pieces in prop::collection::vec(1..60usize, 1..9),
        ) {
            let mut stream: Bytes = messages.iter().flat_map(|(compressed, message)| prefixed(*compressed, message)).collect();
            let (past, mut begun, mut seen) = (Past::default(), BytesMut::new(), Vec::new());
            let mut lengths = pieces.iter().cycle();
            while let Some(length) = lengths.next().filter(|_| !stream.is_empty()) {
                seen.extend(past.lead(stream.split_to((*length).min(stream.len())), &mut begun));
            }
            prop_assert!(begun.is_empty());
            let expected = messages.iter().flat_map(|(compressed, message)| {
                prefixed(*compressed, if *compressed { message } else { &[] })
            });
            prop_assert_eq!(seen, expected.collect::<Vec<_>>());
            let aside: Vec<Bytes> = past.0.lock().drain(..).collect();
            let expected: Vec<&[u8]> =
                messages.iter().filter(|(compressed, _)| !compressed).map(|(_, message)| &message[..]).collect();
            prop_assert_eq!(aside, expected);
        }
    }
}
