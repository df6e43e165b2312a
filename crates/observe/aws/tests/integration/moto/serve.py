"""A moto server that also speaks the form of CloudWatch that the SDKs of today use (Smithy RPC v2, CBOR): what comes in it is
asked of the same moto in JSON, signed with the same keys. Prints its address; ends when its standard input does."""

import os
import re
import sys
import threading
from datetime import datetime

import boto3
import cbor2
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.sts.models import sts_backends
from werkzeug.serving import make_server

RPC = re.compile(r"^/service/GraniteServiceVersion20100801/operation/(\w+)$")
CALLS = {"GetMetricData": "get_metric_data"}


def keys_of(environ):
    """The keys that a request was signed with; only moto knows the secrets."""
    key = re.search(r"Credential=(\w+)/", environ.get("HTTP_AUTHORIZATION", ""))
    key = key.group(1) if key else "none"
    of_users = {k: v for account in iam_backends.values() for one in account.values() for k, v in one.access_keys.items()}
    roles = [role for account in sts_backends.values() for one in account.values() for role in one.assumed_roles]
    known = of_users | {role.access_key_id: role for role in roles}
    return dict(
        aws_access_key_id=key,
        aws_secret_access_key=known[key].secret_access_key if key in known else "unknown",
        aws_session_token=environ.get("HTTP_X_AMZ_SECURITY_TOKEN"),
    )


def in_cbor(value):
    """With times as the SDKs expect them: tag 1 and a float."""
    if isinstance(value, dict):
        return {key: in_cbor(one) for key, one in value.items()}
    if isinstance(value, list):
        return [in_cbor(one) for one in value]
    return cbor2.CBORTag(1, value.timestamp()) if isinstance(value, datetime) else value


def rpc(environ, call):
    body = cbor2.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    region = re.search(r"Credential=\w+/\d+/([\w-]+)/", environ.get("HTTP_AUTHORIZATION", ""))
    client = boto3.client(
        "cloudwatch",
        endpoint_url=f"http://127.0.0.1:{environ['SERVER_PORT']}",
        region_name=region.group(1) if region else "us-east-1",
        config=Config(retries=dict(total_max_attempts=1)),
        **keys_of(environ),
    )
    try:
        answer = getattr(client, call)(**body)
        del answer["ResponseMetadata"]
        return "200 OK", answer
    except ClientError as error:
        told = error.response["Error"]
        # What IAM refuses comes as XML, whatever was asked.
        code = re.search("<Code>(.*?)</Code>", told["Message"])
        code = code.group(1) if code else told["Code"]
        return "400 Bad Request", {"__type": f"com.amazonaws.cloudwatch#{code}", "message": told["Message"]}


def main():
    moto = DomainDispatcherApplication(create_backend_app)

    def app(environ, start_response):
        call = RPC.match(environ["PATH_INFO"])
        if not call:
            return moto(environ, start_response)
        status, answer = rpc(environ, CALLS[call.group(1)])
        start_response(status, [("Content-Type", "application/cbor"), ("smithy-protocol", "rpc-v2-cbor")])
        return [cbor2.dumps(in_cbor(answer))]

    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
    os._exit(0)


main()
