"""Fills an account of moto with volumes, an instance, a database and their metrics, and prints what it made as JSON.

Called with the endpoint, the start of the metrics in Unix time, and the policy to give to a user."""

import json
import sys
from datetime import datetime, timezone

import boto3

endpoint, start, policy = sys.argv[1], int(sys.argv[2]), sys.argv[3]
root = dict(
    endpoint_url=endpoint, region_name="us-west-2", aws_access_key_id="root", aws_secret_access_key="unsafe-root-secret"
)
ec2, cloudwatch, rds, iam = (boto3.client(name, **root) for name in ("ec2", "cloudwatch", "rds", "iam"))


def put(namespace, metric, dimensions, points, unit):
    dimensions = [dict(Name=name, Value=value) for name, value in dimensions]
    at = lambda second: datetime.fromtimestamp(start + second, timezone.utc)
    data = [dict(MetricName=metric, Dimensions=dimensions, Timestamp=at(s), Value=v, Unit=unit) for s, v in points]
    for first in range(0, len(data), 500):
        cloudwatch.put_metric_data(Namespace=namespace, MetricData=data[first : first + 500])


image = ec2.describe_images()["Images"][0]["ImageId"]
instance = ec2.run_instances(
    ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.large", Monitoring=dict(Enabled=False)
)["Instances"][0]["InstanceId"]
zone = ec2.describe_instances()["Reservations"][0]["Instances"][0]["Placement"]["AvailabilityZone"]
tags = [dict(ResourceType="volume", Tags=[dict(Key="Name", Value="data")])]
busy = ec2.create_volume(AvailabilityZone=zone, Size=200, VolumeType="gp2", TagSpecifications=tags)["VolumeId"]
ec2.attach_volume(VolumeId=busy, InstanceId=instance, Device="/dev/sdf")
ec2.modify_volume(VolumeId=busy, VolumeType="gp3", Size=400, Iops=6000, Throughput=250)
unused = ec2.create_volume(AvailabilityZone=zone, Size=100, VolumeType="io1", Iops=2000)["VolumeId"]

of_volume = [("VolumeId", busy)]
of_both = [("InstanceId", instance), ("VolumeId", busy)]
# A hole after the third minute, and two data points in the first.
put("AWS/EBS", "VolumeReadOps", of_volume, [(0, 1000), (30, 500), (60, 600), (120, 0), (300, 700)], "Count")
put("AWS/EBS", "VolumeQueueLength", of_volume, [(0, 1.0), (30, 2.0)], "Count")
put("AWS/EBS", "VolumeIOPSExceededCheck", of_both, [(0, 0), (30, 1), (60, 0)], "None")
put("AWS/EC2", "EBSReadOps", [("InstanceId", instance)], [(0, 3000), (300, 1500)], "Count")

rds.create_db_instance(
    DBInstanceIdentifier="orders", DBInstanceClass="db.m5.large", Engine="mysql", AllocatedStorage=400,
    StorageType="gp3", Iops=12000, MasterUsername="admin", MasterUserPassword="unsafe-password", MultiAZ=True,
)
put("AWS/RDS", "ReadIOPS", [("DBInstanceIdentifier", "orders")], [(0, 100.0), (30, 200.0)], "Count/Second")


def in_moto(policy):
    """Moto checks actions under the name with which a service signs, where IAM has names of its own."""
    return json.dumps(policy).replace("cloudwatch:", "monitoring:")


def key(user, allowed):
    iam.create_user(UserName=user)
    iam.put_user_policy(UserName=user, PolicyName="it", PolicyDocument=in_moto(allowed))
    return iam.create_access_key(UserName=user)["AccessKey"]


allowed = json.loads(policy)
keys = {"reader": key("reader", allowed)}
for action in allowed["Statement"][0]["Action"]:
    rest = [one for one in allowed["Statement"][0]["Action"] if one != action]
    statement = dict(allowed["Statement"][0], Action=rest)
    keys[action] = key("without-" + action.replace(":", "-"), dict(allowed, Statement=[statement]))
modify = dict(allowed["Statement"][0], Sid="M", Action=["ec2:ModifyVolume"])
keys["modifier"] = key("modifier", dict(allowed, Statement=[allowed["Statement"][0], modify]))
spare = ec2.create_volume(AvailabilityZone=zone, Size=100, VolumeType="gp2")["VolumeId"]
assumer = dict(AWS="arn:aws:iam::123456789012:user/assumer")
trust = dict(Version="2012-10-17", Statement=[dict(Effect="Allow", Principal=assumer, Action="sts:AssumeRole")])
role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
iam.put_role_policy(RoleName="reader", PolicyName="it", PolicyDocument=in_moto(allowed))
assume = dict(allowed, Statement=[dict(Sid="A", Effect="Allow", Action="sts:AssumeRole", Resource=role)])
keys["assumer"] = key("assumer", assume)

keys = {name: [one["AccessKeyId"], one["SecretAccessKey"]] for name, one in keys.items()}
print(json.dumps(dict(busy=busy, unused=unused, spare=spare, instance=instance, zone=zone, role=role, keys=keys)))
